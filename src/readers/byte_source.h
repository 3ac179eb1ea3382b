#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pagoda {

/// Bytes read forward once: a file, what a compressed stream inflates to, a member of an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `buffer` as far as it can; 0 only at the end.
  virtual std::size_t read(std::span<char> buffer) = 0;
  /// The stream ended before its end, or is not what it says: what came before is sound.
  virtual bool damaged() const { return false; }
  /// Bytes consumed of the file at the bottom.
  virtual std::uint64_t position() const = 0;
};

/// `path`, or standard input for "-". Throws Error (bad_input) that says why it can't be opened.
std::unique_ptr<ByteSource> open_file(const std::string& path);

/// What `source` inflates to when it is gzip (also many members in a row) or zstd, by its first bytes; else
/// the same bytes. One level: the inside of a compressed file is not looked at.
std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> source);

}  // namespace pagoda
