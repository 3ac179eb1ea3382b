#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/error.h"
#include "readers/ncu/ncu.h"

namespace {

class BytesContent final : public pagoda::Content {
 public:
  explicit BytesContent(std::string_view bytes) : bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  std::string_view head() override { return bytes_.substr(0, 64 * 1024); }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), bytes_.size() - done_);
    if (count > 0) std::memcpy(buffer.data(), bytes_.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return false; }
  const std::string& file_path() override { return name_; }

 private:
  std::string name_ = "fuzz";
  std::string_view bytes_;
  std::size_t done_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  BytesContent content({reinterpret_cast<const char*>(data), size});
  pagoda::kNcuFormat.sniff(content.head());
  try {
    pagoda::kNcuFormat.read(content, {});
  } catch (const pagoda::Error&) {
  }
  return 0;
}
