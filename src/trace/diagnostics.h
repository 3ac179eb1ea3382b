#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pagoda {

/// What was odd about the input, counted by kind: nothing is dropped in silence.
/// Kinds are snake_case words ("negative_duration", "truncated"), each explained in docs/commands.md.
class Diagnostics {
 public:
  struct Entry {
    std::uint64_t count = 0;
    std::optional<std::uint64_t> first_byte_offset;  ///< in the decompressed content of the file
    std::string example;                             ///< short text of the first occurrence; may be empty
  };

  void add(std::string_view kind, std::optional<std::uint64_t> byte_offset = {},
           std::string_view example = {}, std::uint64_t count = 1);
  void merge(const Diagnostics& other);

  bool empty() const { return entries_.empty(); }
  std::uint64_t count(std::string_view kind) const;
  /// Sorted by kind, so that reports are the same bytes for the same input.
  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace pagoda
