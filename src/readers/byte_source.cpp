#include "readers/byte_source.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zstd.h>

#include "core/error.h"

namespace pagoda {
namespace {

constexpr std::size_t kInputBytes = 256 * 1024;

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path == "-" ? "<stdin>" : path) {
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw Error(std::string("cannot be opened: ") + std::strerror(errno), {path_, {}});
  }
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    while (true) {
      const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) {
        position_ += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR)
        throw Error(std::string("cannot be read: ") + std::strerror(errno), {path_, position_});
    }
  }
  std::uint64_t position() const override { return position_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t position_ = 0;
};

/// Bytes already read of a source, then the rest of it.
class Prefixed final : public ByteSource {
 public:
  Prefixed(std::vector<char> prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> buffer) override {
    if (done_ == prefix_.size()) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), prefix_.size() - done_);
    std::memcpy(buffer.data(), prefix_.data() + done_, count);
    done_ += count;
    return count;
  }
  bool damaged() const override { return rest_->damaged(); }
  std::uint64_t position() const override { return rest_->position(); }

 private:
  std::vector<char> prefix_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t done_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)), input_(kInputBytes) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  std::size_t read(std::span<char> buffer) override {
    state_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(buffer.size(), 1u << 30));
    const std::uint32_t room = state_.avail_out;
    while (state_.avail_out == room && !finished_) step();
    return room - state_.avail_out;
  }
  bool damaged() const override { return damaged_ || packed_->damaged(); }
  std::uint64_t position() const override { return packed_->position(); }

 private:
  void step() {
    if (state_.avail_in == 0 && !refill()) {
      damaged_ |= !between_members_;
      finished_ = true;
      return;
    }
    if (between_members_ && !next_member()) return;
    if (isal_inflate(&state_) != ISAL_DECOMP_OK) {
      damaged_ = finished_ = true;
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      between_members_ = true;
    }
  }

  bool refill() {
    const std::size_t count = packed_->read(input_);
    state_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_.avail_in = static_cast<std::uint32_t>(count);
    return count > 0;
  }

  /// Concatenated gzip files are one stream; padding and rubbish behind the last one are ignored, as gzip
  /// does.
  bool next_member() {
    if (*state_.next_in != 0x1f) {
      finished_ = true;
      return false;
    }
    std::uint8_t* const next_in = state_.next_in;
    const std::uint32_t avail_in = state_.avail_in;
    std::uint8_t* const next_out = state_.next_out;
    const std::uint32_t avail_out = state_.avail_out;
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.next_in = next_in, state_.avail_in = avail_in;
    state_.next_out = next_out, state_.avail_out = avail_out;
    between_members_ = false;
    return true;
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  inflate_state state_{};
  bool between_members_ = false;
  bool finished_ = false;
  bool damaged_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)), input_(kInputBytes), stream_(ZSTD_createDStream()) {}
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
    while (out.pos == 0 && !finished_) {
      if (pending_.pos == pending_.size) {
        const std::size_t count = packed_->read(input_);
        pending_ = {input_.data(), count, 0};
        if (count == 0) {
          // A frame may still have output to give when its last input is in.
          if (hint_ != 0 && flush(out)) continue;
          damaged_ = hint_ != 0;
          finished_ = true;
          break;
        }
      }
      hint_ = ZSTD_decompressStream(stream_, &out, &pending_);
      if (ZSTD_isError(hint_)) damaged_ = finished_ = true;
    }
    return out.pos;
  }
  bool damaged() const override { return damaged_ || packed_->damaged(); }
  std::uint64_t position() const override { return packed_->position(); }

 private:
  bool flush(ZSTD_outBuffer& out) {
    const std::size_t before = out.pos;
    ZSTD_inBuffer nothing = {nullptr, 0, 0};
    const std::size_t hint = ZSTD_decompressStream(stream_, &out, &nothing);
    if (!ZSTD_isError(hint)) hint_ = hint;
    return out.pos > before;
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer pending_ = {nullptr, 0, 0};
  std::size_t hint_ = 0;
  bool finished_ = false;
  bool damaged_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) { return std::make_unique<FileSource>(path); }

std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> source) {
  std::vector<char> prefix(4);
  std::size_t have = 0;
  while (have < prefix.size()) {
    const std::size_t count = source->read(std::span(prefix).subspan(have));
    if (count == 0) break;
    have += count;
  }
  prefix.resize(have);
  const auto begins = [&](std::initializer_list<unsigned char> magic) {
    std::size_t at = 0;
    for (unsigned char byte : magic) {
      if (at >= have || static_cast<unsigned char>(prefix[at++]) != byte) return false;
    }
    return true;
  };
  const bool gzip = begins({0x1f, 0x8b});
  const bool zstd = begins({0x28, 0xb5, 0x2f, 0xfd});
  auto whole = std::make_unique<Prefixed>(std::move(prefix), std::move(source));
  if (gzip) return std::make_unique<GzipSource>(std::move(whole));
  if (zstd) return std::make_unique<ZstdSource>(std::move(whole));
  return whole;
}

}  // namespace pagoda
