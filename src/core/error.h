#pragma once
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace pagoda {

/// What the process answers to its caller. `truncated_input` and `gate_failed` accompany a full report.
enum class ExitCode : int { ok = 0, our_bug = 1, bad_input = 2, truncated_input = 3, gate_failed = 4 };

/// The one error of Pagoda: what was wrong, where, and what to do about it.
/// Thrown anywhere below `cli`, caught once in `main`, printed as one line plus a hint.
class Error : public std::runtime_error {
 public:
  struct Where {
    std::string path;                          ///< file, argument or URL-like place; empty when there is none
    std::optional<std::uint64_t> byte_offset;  ///< offset in the (decompressed) content
  };

  explicit Error(std::string what_was_wrong, Where where = {}, std::string hint = {},
                 ExitCode exit_code = ExitCode::bad_input);

  const Where& where() const { return where_; }
  const std::string& hint() const { return hint_; }
  ExitCode exit_code() const { return exit_code_; }

 private:
  Where where_;
  std::string hint_;
  ExitCode exit_code_;
};

}  // namespace pagoda
