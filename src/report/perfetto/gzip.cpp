#include "report/perfetto/gzip.h"

#include <zlib.h>

#include "core/error.h"

namespace pagoda {

std::string gzip(std::string_view bytes) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("compression could not be started", {}, {}, ExitCode::our_bug);
  std::string out;
  std::string block(1 << 18, '\0');
  constexpr std::size_t kStepBytes = std::size_t{1} << 30;  // zlib counts in 32 bits
  int status = Z_OK;
  do {
    const std::string_view part = bytes.substr(0, kStepBytes);
    bytes.remove_prefix(part.size());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(block.data());
      stream.avail_out = static_cast<uInt>(block.size());
      status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
      out.append(block.data(), block.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (status != Z_STREAM_END);
  deflateEnd(&stream);
  return out;
}

}  // namespace pagoda
