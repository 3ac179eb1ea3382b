#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "readers/byte_source.h"

namespace pagoda {

/// Does `head` (at least 512 bytes) begin with a tar header? Decided by its checksum, so that old archives
/// without the "ustar" mark count too.
bool is_tar(std::string_view head);

/// Reads a tar archive forward: next() goes to a regular file, read() takes its bytes. Long names of GNU and
/// POSIX (pax) archives are understood; links, devices and folders are passed over.
class TarReader {
 public:
  explicit TarReader(std::unique_ptr<ByteSource> archive) : archive_(std::move(archive)) {}

  struct Member {
    std::string name;
    std::uint64_t bytes = 0;
    std::size_t index = 0;  ///< position among the regular files
  };
  /// nullopt at the end of the archive, also where it is cut.
  std::optional<Member> next();
  std::size_t read(std::span<char> buffer);
  /// The archive ends inside the current member or its header.
  bool damaged() const { return damaged_ || archive_->damaged(); }
  std::uint64_t position() const { return archive_->position(); }
  /// Index that next() would give.
  std::size_t next_index() const { return next_index_; }

 private:
  bool read_exactly(std::span<char> buffer);
  bool skip(std::uint64_t bytes);
  std::string read_text(std::uint64_t bytes);

  std::unique_ptr<ByteSource> archive_;
  std::uint64_t left_ = 0;     // of the current member
  std::uint64_t padding_ = 0;  // behind it
  std::size_t next_index_ = 0;
  bool damaged_ = false;
};

}  // namespace pagoda
