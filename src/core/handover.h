#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace pagoda {

/// A thread that makes things and a caller that takes them in order, at most `capacity` apart. An exception
/// of the maker reaches the taker after what was made before it. Destroying it stops the maker.
template <typename Item>
class Handover {
 public:
  /// `make` runs on the new thread and gives each item to `give`; when that returns false it must return.
  template <typename Make>
  Handover(std::size_t capacity, Make make) : capacity_(capacity) {
    maker_ = std::thread([this, make = std::move(make)]() mutable {
      try {
        make([this](Item item) { return give(std::move(item)); });
      } catch (...) {
        failure_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
    });
  }
  ~Handover() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    maker_.join();
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// The next item; nullopt when the maker is done.
  std::optional<Item> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty() || ended_; });
    if (items_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return std::nullopt;
    }
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  bool give(Item item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.size() < capacity_ || stopped_; });
    if (stopped_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::exception_ptr failure_;
  bool ended_ = false;
  bool stopped_ = false;
  std::thread maker_;
};

}  // namespace pagoda
