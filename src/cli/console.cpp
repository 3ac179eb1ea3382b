#include "cli/console.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;

// 0, or the errno of what failed.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

[[noreturn]] void fail(const std::string& path, const std::string& what, int error) {
  throw Error(what + ": " + std::strerror(error), {path, {}});
}

// A link is followed, so that the file it names is replaced and not the link.
fs::path resolved(const std::string& path) {
  std::error_code ignored;
  const fs::path target = fs::canonical(path, ignored);
  return ignored ? fs::path(path) : target;
}

bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

void write_in_place(const fs::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(path, "can't be written", errno);
  const int error = write_all(file, text);
  ::close(file);
  if (error != 0 && error != EPIPE) fail(path, "can't be written", error);
}

}  // namespace

void write_standard_output(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) fail("<stdout>", "can't be written", error);
}

void write_file(const std::string& path, std::string_view text) {
  const fs::path target = resolved(path);
  if (is_special(target)) return write_in_place(target, text);
  const std::string temporary = target.string() + ".tmp-" + std::to_string(::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "can't be written", errno);
  int error = write_all(file, text);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  fail(path, "can't be written", error);
}

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw Error("is a folder, not a file", {path, {}});
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, ignored))
      throw Error("is one of the profiles to read", {path, {}}, "give another name to --output");
  }
  const fs::path folder = resolved(path).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  if (!is_special(path) && ::access(where.c_str(), W_OK) != 0) fail(path, "can't be written", errno);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal != nullptr && std::strcmp(terminal, "dumb") == 0) return false;
  return ::isatty(STDOUT_FILENO) == 1;
}

bool error_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace pagoda
