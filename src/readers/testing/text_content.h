#pragma once
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "readers/reader.h"

namespace pagoda::test {

/// A Content over bytes in memory, `step_bytes` a read.
class TextContent final : public Content {
 public:
  explicit TextContent(std::string_view bytes, std::size_t step_bytes = 1 << 20)
      : bytes_(bytes), step_bytes_(step_bytes) {}
  const std::string& name() const override { return name_; }
  std::string_view head() override { return bytes_.substr(0, 64 * 1024); }
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min({buffer.size(), bytes_.size() - done_, step_bytes_});
    if (count > 0) std::memcpy(buffer.data(), bytes_.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return false; }
  const std::string& file_path() override { return name_; }

 private:
  std::string name_ = "made-up";
  std::string_view bytes_;
  std::size_t step_bytes_;
  std::size_t done_ = 0;
};

}  // namespace pagoda::test
