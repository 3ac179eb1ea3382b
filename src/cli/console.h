#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// Writes everything to standard output. A reader that went away is no error; a full disk is one.
void write_standard_output(std::string_view text);

/// Writes a file whole or not at all: to a new file beside it, then renamed over it. Devices and pipes are
/// written directly. Throws Error when it cannot.
void write_file(const std::string& path, std::string_view text);

/// Throws Error when write_file(path) could not succeed, or would replace one of `inputs`: said before a long
/// read, not after it.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

/// Standard output is a terminal that shows colour, and the user did not ask for none (NO_COLOR).
bool wants_colour();
bool error_is_terminal();

}  // namespace pagoda
