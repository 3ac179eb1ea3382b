#pragma once
#include <cstdint>
#include <memory>

#include "readers/kineto/scan.h"
#include "readers/reader.h"

namespace pagoda::kineto {

/// The stretch of the content that is in memory: slides forward as text is consumed and grows only for an
/// event that does not fit.
class Window {
 public:
  Window(Content& content, std::size_t capacity_bytes);

  const char* at() const { return buffer_.get() + begin_; }
  const char* end() const { return buffer_.get() + end_; }
  std::size_t size() const { return end_ - begin_; }
  /// Nothing follows what is in memory.
  bool last() const { return last_; }
  /// Position of at() in the decompressed content.
  std::uint64_t offset() const { return base_ + begin_; }

  void advance_to(const char* place) { begin_ = static_cast<std::size_t>(place - buffer_.get()); }
  /// Gives the buffer away, for views into it to stay valid, and goes on in a new one.
  std::unique_ptr<char[]> detach();
  /// Reads on. Views into the buffer become invalid. False at the end of the content, or when the buffer is
  /// full at its largest size.
  bool more();

 private:
  std::unique_ptr<char[]> renew(std::size_t capacity_bytes);

  Content& content_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t base_ = 0;
  bool last_ = false;
};

/// No sound event is larger; beyond it the reader looks for the next event.
inline constexpr std::size_t kLargestEventBytes = std::size_t{256} << 20;

}  // namespace pagoda::kineto
