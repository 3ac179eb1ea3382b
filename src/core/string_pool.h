#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace pagoda {

/// Index of an interned string. 0 is always the empty string.
using StringId = std::uint32_t;

/// Interns strings: equal text gives equal ids, ids are dense and in order of first appearance.
/// Text lives in large blocks that never move, so views stay valid for the life of the pool.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId intern(std::string_view text);
  std::string_view view(StringId id) const { return strings_[id]; }
  std::size_t size() const { return strings_.size(); }

 private:
  std::string_view store(std::string_view text);
  void grow();

  std::vector<std::string_view> strings_;
  std::vector<StringId> slots_;  // open addressing, power-of-two size, kEmptySlot where free
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
};

}  // namespace pagoda
