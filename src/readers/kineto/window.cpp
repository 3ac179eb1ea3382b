#include "readers/kineto/window.h"

#include <algorithm>
#include <cstring>

namespace pagoda::kineto {

Window::Window(Content& content, std::size_t capacity_bytes)
    : content_(content),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_bytes + kScanPadding)),
      capacity_(capacity_bytes) {
  std::memset(buffer_.get(), 0, kScanPadding);
}

void Window::grow() {
  const std::size_t capacity = std::min(capacity_ * 2, kLargestEventBytes);
  auto wider = std::make_unique_for_overwrite<char[]>(capacity + kScanPadding);
  std::memcpy(wider.get(), buffer_.get(), end_);
  buffer_ = std::move(wider);
  capacity_ = capacity;
}

bool Window::more() {
  if (last_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), at(), size());
    base_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    if (capacity_ == kLargestEventBytes) return false;
    grow();
  }
  // Fill the buffer: a short read (a pipe, a decompressed block) must not make the reader start an event
  // over.
  while (end_ < capacity_) {
    const std::size_t count = content_.read({buffer_.get() + end_, capacity_ - end_});
    if (count == 0) {
      last_ = true;
      break;
    }
    end_ += count;
  }
  std::memset(buffer_.get() + end_, 0, kScanPadding);
  return true;
}

}  // namespace pagoda::kineto
