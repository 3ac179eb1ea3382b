#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "readers/byte_source.h"
#include "readers/reader.h"

namespace pagoda {

inline constexpr std::size_t kHeadBytes = 64 * 1024;

/// What messages call it and what is known of the file on disk.
struct ContentOrigin {
  std::string name;
  std::uint64_t disk_bytes = 0;  ///< 0: unknown
  std::string plain_path;        ///< the file itself when its bytes are the content; else empty
  bool compressed = false;       ///< worth a thread of its own
};

/// A Content over decompressed bytes.
std::unique_ptr<Content> make_content(std::unique_ptr<ByteSource> bytes, ContentOrigin origin);

/// Opens a file or "-", decompressed.
std::unique_ptr<Content> open_content(const std::string& path);

}  // namespace pagoda
