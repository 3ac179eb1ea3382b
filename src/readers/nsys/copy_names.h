#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "readers/nsys/database.h"

namespace pagoda::nsys {

/// Names of copies in the words of the PyTorch profiler, so that reports of both formats read alike:
/// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)". A part the file does not tell is left out.
class CopyNames {
 public:
  explicit CopyNames(const Database& database);

  std::string memcpy(std::optional<std::int64_t> kind, std::optional<std::int64_t> source,
                     std::optional<std::int64_t> destination) const;
  std::string memset(std::optional<std::int64_t> memory) const;

 private:
  std::string memory_name(std::optional<std::int64_t> kind) const;

  std::map<std::int64_t, std::string> directions_;
  std::map<std::int64_t, std::string> memories_;
};

}  // namespace pagoda::nsys
