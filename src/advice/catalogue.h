#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "advice/plan.h"

namespace pagoda {

/// Existing implementations of operators, with what they run on (catalogue.toml).
class Catalogue {
 public:
  struct Entry {
    Implementation implementation;
    std::vector<std::string> operators;
    std::vector<std::string> gpus;  ///< empty: any
    std::vector<std::string> dtypes;
  };

  static const Catalogue& built_in();
  /// Throws Error that names the file, the line and what is wrong there.
  static Catalogue from_toml(std::string_view text, const std::string& path);
  static Catalogue from_file(const std::string& path);

  const std::vector<Entry>& entries() const { return entries_; }
  /// Those for `operator_name` that run on `arch` ("sm_90"; empty: unknown, anything goes) with `dtype`
  /// (empty: unknown), in order of preference.
  std::vector<Implementation> find(std::string_view operator_name, std::string_view arch,
                                   std::string_view dtype) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace pagoda
