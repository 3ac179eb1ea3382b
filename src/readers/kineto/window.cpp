#include "readers/kineto/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pagoda::kineto {
namespace {

std::unique_ptr<char[]> new_buffer(std::size_t capacity_bytes) {
  auto buffer = std::make_unique_for_overwrite<char[]>(capacity_bytes + kScanPadding);
  std::memset(buffer.get(), 0, kScanPadding);
  return buffer;
}

}  // namespace

Window::Window(Content& content, std::size_t capacity_bytes)
    : content_(content), buffer_(new_buffer(capacity_bytes)), capacity_(capacity_bytes) {}

/// What is left of the text to the front of a new buffer; the old one is returned.
std::unique_ptr<char[]> Window::renew(std::size_t capacity_bytes) {
  auto fresh = new_buffer(capacity_bytes);
  const std::size_t left = size();
  std::memcpy(fresh.get(), at(), left);
  std::memset(fresh.get() + left, 0, kScanPadding);
  base_ += begin_;
  begin_ = 0;
  end_ = left;
  capacity_ = capacity_bytes;
  return std::exchange(buffer_, std::move(fresh));
}

std::unique_ptr<char[]> Window::detach() { return renew(capacity_); }

bool Window::more() {
  if (last_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), at(), size());
    base_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == capacity_) {
    if (capacity_ >= kLargestEventBytes) return false;
    renew(std::min(capacity_ * 2, kLargestEventBytes));
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
