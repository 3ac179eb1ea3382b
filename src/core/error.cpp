#include "core/error.h"

#include <utility>

namespace pagoda {

// what() reads "path: message (byte N)": the order in which a compiler or grep names a place.
static std::string describe(const std::string& message, const Error::Where& where) {
  std::string text = where.path.empty() ? message : where.path + ": " + message;
  if (where.byte_offset) text += " (byte " + std::to_string(*where.byte_offset) + ")";
  return text;
}

Error::Error(std::string what_was_wrong, Where where, std::string hint, ExitCode exit_code)
    : std::runtime_error(describe(what_was_wrong, where)),
      where_(std::move(where)),
      hint_(std::move(hint)),
      exit_code_(exit_code) {}

}  // namespace pagoda
