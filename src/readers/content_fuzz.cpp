// Compressed streams and archives: whatever the bytes, reading ends without a fault.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "readers/byte_source.h"
#include "readers/tar.h"

namespace {

class BytesSource final : public pagoda::ByteSource {
 public:
  explicit BytesSource(std::span<const char> bytes) : bytes_(bytes) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - done_);
    std::copy_n(bytes_.data() + done_, count, buffer.data());
    done_ += count;
    return count;
  }
  std::uint64_t position() const override { return done_; }

 private:
  std::span<const char> bytes_;
  std::size_t done_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kMost = std::size_t{4} << 20;  // a bomb is not the point
  std::vector<char> buffer(4096);
  std::size_t total = 0;
  try {
    const auto stream = pagoda::inflated(std::make_unique<BytesSource>(bytes));
    while (const std::size_t count = stream->read(buffer)) {
      if ((total += count) > kMost) break;
    }
    pagoda::TarReader archive(pagoda::inflated(std::make_unique<BytesSource>(bytes)));
    int members = 0;
    while (archive.next() && ++members < 64) {
      total = 0;
      while (const std::size_t count = archive.read(buffer)) {
        if ((total += count) > kMost) return 0;
      }
    }
  } catch (const pagoda::Error&) {
  }
  return 0;
}
