#include "readers/content.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/error.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;

/// Runs a source on a thread of its own, a few blocks ahead of the reader.
class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), worker_([this] { run(); }) {}
  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  std::size_t read(std::span<char> buffer) override {
    if (done_ == current_.size() && !next_block()) return 0;
    const std::size_t count = std::min(buffer.size(), current_.size() - done_);
    std::memcpy(buffer.data(), current_.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return damaged_; }
  std::uint64_t position() const override { return position_; }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  static constexpr std::size_t kBlocks = 4;

  bool next_block() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !blocks_.empty() || ended_; });
    if (blocks_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    spare_.push_back(std::move(current_));
    current_ = std::move(blocks_.front());
    blocks_.pop_front();
    done_ = 0;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  std::vector<char> empty_block() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return blocks_.size() < kBlocks || stop_; });
    if (spare_.empty() || spare_.back().capacity() == 0) return std::vector<char>(kBlockBytes);
    std::vector<char> block = std::move(spare_.back());
    spare_.pop_back();
    block.resize(kBlockBytes);
    return block;
  }

  void run() {
    try {
      while (!stop_) {
        std::vector<char> block = empty_block();
        std::size_t filled = 0;
        while (filled < block.size() && !stop_) {
          const std::size_t count = source_->read(std::span(block).subspan(filled));
          if (count == 0) break;
          filled += count;
        }
        position_ = source_->position();
        const bool last = filled < block.size();
        block.resize(filled);
        const std::lock_guard lock(mutex_);
        if (filled > 0) blocks_.push_back(std::move(block));
        if (last) {
          damaged_ = source_->damaged();
          ended_ = true;
        }
        changed_.notify_all();
        if (last) return;
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      ended_ = true;
      changed_.notify_all();
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<char> current_;
  std::size_t done_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<char>> blocks_;
  std::vector<std::vector<char>> spare_;
  std::exception_ptr failure_;
  bool ended_ = false;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> damaged_ = false;
  std::atomic<std::uint64_t> position_ = 0;
  std::thread worker_;  // last: starts when everything above exists
};

/// A temporary copy that goes away with it.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code failed;
    const fs::path folder = fs::temp_directory_path(failed);
    path_ = (failed ? fs::path("/tmp") : folder) / "pagoda-XXXXXX";
    descriptor_ = ::mkstemp(path_.data());
    if (descriptor_ < 0) throw Error(std::string("cannot be created: ") + std::strerror(errno), {path_, {}});
  }
  ~TemporaryFile() {
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        throw Error(std::string("cannot be written: ") + std::strerror(errno), {path_, {}},
                    "set TMPDIR to a folder with room for the decompressed profile");
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_;
};

class StreamContent final : public Content {
 public:
  StreamContent(std::unique_ptr<ByteSource> bytes, ContentOrigin origin)
      : bytes_(std::move(bytes)), origin_(std::move(origin)) {
    if (origin_.compressed) bytes_ = std::make_unique<ReadAhead>(std::move(bytes_));
  }

  const std::string& name() const override { return origin_.name; }

  std::string_view head() override {
    if (!head_read_) {
      head_.resize(kHeadBytes);
      std::size_t have = 0;
      while (have < kHeadBytes) {
        const std::size_t count = bytes_->read(std::span(head_).subspan(have));
        if (count == 0) break;
        have += count;
      }
      head_.resize(have);
      head_read_ = true;
      if (have == 0 && bytes_->damaged()) {
        throw Error("the compressed stream is damaged and nothing in it can be read", {origin_.name, {}},
                    "copy the file again");
      }
    }
    return {head_.data(), head_.size()};
  }

  std::size_t read(std::span<char> buffer) override {
    head();
    if (head_used_ == head_.size()) return bytes_->read(buffer);
    const std::size_t count = std::min(buffer.size(), head_.size() - head_used_);
    std::memcpy(buffer.data(), head_.data() + head_used_, count);
    head_used_ += count;
    return count;
  }

  bool damaged() const override { return bytes_->damaged(); }

  const std::string& file_path() override {
    if (!origin_.plain_path.empty()) return origin_.plain_path;
    if (!copy_) {
      copy_ = std::make_unique<TemporaryFile>();
      std::vector<char> block(std::size_t{1} << 20);
      while (const std::size_t count = read(block)) copy_->write({block.data(), count});
    }
    return copy_->path();
  }

  std::uint64_t disk_position() const override { return bytes_->position(); }
  std::uint64_t disk_bytes() const override { return origin_.disk_bytes; }

 private:
  std::unique_ptr<ByteSource> bytes_;
  ContentOrigin origin_;
  std::vector<char> head_;
  bool head_read_ = false;
  std::size_t head_used_ = 0;
  std::unique_ptr<TemporaryFile> copy_;
};

bool is_compressed(const std::string& path) {
  std::array<char, 4> magic{};
  if (open_file(path)->read(magic) < 2) return false;
  const std::string_view bytes(magic.data(), magic.size());
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

std::unique_ptr<Content> make_content(std::unique_ptr<ByteSource> bytes, ContentOrigin origin) {
  return std::make_unique<StreamContent>(std::move(bytes), std::move(origin));
}

std::unique_ptr<Content> open_content(const std::string& path) {
  std::error_code failed;
  ContentOrigin origin;
  origin.name = path == "-" ? "<stdin>" : path;
  const bool regular = path != "-" && fs::is_regular_file(path, failed);
  if (regular) origin.disk_bytes = fs::file_size(path, failed);
  // A pipe can't be looked into twice: it gets the thread, which costs little.
  origin.compressed = !regular || is_compressed(path);
  if (!origin.compressed) origin.plain_path = path;
  return make_content(inflated(open_file(path)), std::move(origin));
}

}  // namespace pagoda
