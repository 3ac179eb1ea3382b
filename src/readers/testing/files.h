#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sqlite3.h>
#include <unistd.h>

#include "readers/reader.h"

namespace pagoda::test {

/// A Content over a file.
class FileContent final : public Content {
 public:
  explicit FileContent(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    bytes_ = all.str();
  }
  const std::string& name() const override { return path_; }
  std::string_view head() override { return std::string_view(bytes_).substr(0, 64 * 1024); }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - done_);
    if (count > 0) std::memcpy(buffer.data(), bytes_.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return false; }
  const std::string& file_path() override { return path_; }

 private:
  std::string path_;
  std::string bytes_;
  std::size_t done_ = 0;
};

/// A folder of its own that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pagoda-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Writes a database from SQL; false and the message on stderr when a statement is wrong.
inline bool write_database(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  char* message = nullptr;
  const bool done = sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
                    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message) == SQLITE_OK;
  if (message) std::fprintf(stderr, "%s\n", message);
  sqlite3_free(message);
  sqlite3_close(database);
  return done;
}

/// Where the public profiles are; tests that want them skip where they are absent.
inline std::filesystem::path shared_folder() {
  const char* set = std::getenv("PAGODA_SHARED");
  return set ? std::filesystem::path(set) : std::filesystem::path(PAGODA_SOURCE_DIR) / ".." / "shared";
}

}  // namespace pagoda::test
