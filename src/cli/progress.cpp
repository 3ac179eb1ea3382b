#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>

#include "report/text/quantities.h"

namespace pagoda {
namespace {

constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr std::size_t kBarColumns = 30;

}  // namespace

Progress::Progress(bool shown, std::vector<std::uint64_t> file_bytes)
    : shown_(shown), done_bytes_(file_bytes.size(), 0), total_bytes_(std::move(file_bytes)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::report(std::size_t file, std::uint64_t done_bytes, std::uint64_t total_bytes) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  done_bytes_[file] = done_bytes;
  total_bytes_[file] = std::max(total_bytes_[file], total_bytes);
  const auto now = Clock::now();
  if (now - start_ < kPatience || now - last_ < kBetweenDraws) return;
  last_ = now;
  draw(std::chrono::duration<double>(now - start_).count());
}

void Progress::draw(double seconds) {
  const auto done = std::accumulate(done_bytes_.begin(), done_bytes_.end(), std::uint64_t{0});
  const auto total = std::accumulate(total_bytes_.begin(), total_bytes_.end(), std::uint64_t{0});
  const double fraction =
      total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
  const auto full = static_cast<std::size_t>(fraction * kBarColumns);
  const std::string bar = std::string(full, '#') + std::string(kBarColumns - full, '.');
  const std::string where = total > 0 ? fmt::format("[{}] {:3.0f} %", bar, 100 * fraction) : "";
  const std::string line =
      fmt::format("\rreading {} {}  {}\x1b[K", where, bytes_text(static_cast<double>(done)),
                  rate_text(static_cast<double>(done) / seconds));
  std::fputs(line.c_str(), stderr);
  drawn_ = true;
}

}  // namespace pagoda
