#include "readers/content.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/error.h"
#include "core/handover.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;

/// Runs a source on a thread of its own, a few blocks ahead of the reader.
class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), blocks_(kBlocks, [this](const auto& give) {
          while (give(next_block())) {
            if (ended_) return;
          }
        }) {}

  std::size_t read(std::span<char> buffer) override {
    while (done_ == current_.bytes.size()) {
      auto block = blocks_.take();
      if (!block) return 0;
      current_ = std::move(*block);
      done_ = 0;
    }
    const std::size_t count = std::min(buffer.size(), current_.bytes.size() - done_);
    std::memcpy(buffer.data(), current_.bytes.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return current_.damaged; }
  std::uint64_t position() const override { return current_.position; }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  static constexpr std::size_t kBlocks = 4;
  struct Block {
    std::vector<char> bytes;
    std::uint64_t position = 0;
    bool damaged = false;  // the stream broke behind these bytes
  };

  Block next_block() {
    Block block;
    block.bytes.resize(kBlockBytes);
    std::size_t filled = 0;
    while (filled < kBlockBytes) {
      const std::size_t count = source_->read(std::span(block.bytes).subspan(filled));
      if (count == 0) break;
      filled += count;
    }
    ended_ = filled < kBlockBytes;
    block.bytes.resize(filled);
    block.position = source_->position();
    block.damaged = ended_ && source_->damaged();
    return block;
  }

  std::unique_ptr<ByteSource> source_;
  bool ended_ = false;  // the maker's own
  Block current_;
  std::size_t done_ = 0;
  Handover<Block> blocks_;  // last: its thread uses what is above
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
  std::uint64_t plain_bytes() const override { return origin_.plain_path.empty() ? 0 : origin_.disk_bytes; }

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
