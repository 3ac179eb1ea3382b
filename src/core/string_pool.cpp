#include "core/string_pool.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace pagoda {
namespace {
constexpr StringId kEmptySlot = 0xFFFFFFFFu;
constexpr std::size_t kBlockBytes = 256 * 1024;

std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }
}  // namespace

StringPool::StringPool() : slots_(1024, kEmptySlot) { intern({}); }

StringId StringPool::intern(std::string_view text) {
  if ((strings_.size() + 1) * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(text) & mask;
  while (slots_[slot] != kEmptySlot) {
    if (strings_[slots_[slot]] == text) return slots_[slot];
    slot = (slot + 1) & mask;
  }
  const auto id = static_cast<StringId>(strings_.size());
  strings_.push_back(store(text));
  slots_[slot] = id;
  return id;
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > free_bytes_) {
    const std::size_t bytes = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    free_ = blocks_.back().get();
    free_bytes_ = bytes;
  }
  std::memcpy(free_, text.data(), text.size());
  const std::string_view stored(free_, text.size());
  free_ += text.size();
  free_bytes_ -= text.size();
  return stored;
}

void StringPool::grow() {
  std::vector<StringId> wider(slots_.size() * 2, kEmptySlot);
  const std::size_t mask = wider.size() - 1;
  for (StringId id = 0; id < strings_.size(); ++id) {
    std::size_t slot = hash_of(strings_[id]) & mask;
    while (wider[slot] != kEmptySlot) slot = (slot + 1) & mask;
    wider[slot] = id;
  }
  slots_ = std::move(wider);
}

}  // namespace pagoda
