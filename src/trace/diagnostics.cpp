#include "trace/diagnostics.h"

namespace pagoda {

void Diagnostics::add(std::string_view kind, std::optional<std::uint64_t> byte_offset,
                      std::string_view example, std::uint64_t count) {
  auto found = entries_.find(kind);
  if (found == entries_.end()) found = entries_.emplace(std::string(kind), Entry{}).first;
  Entry& entry = found->second;
  entry.count += count;
  const bool earlier = byte_offset && (!entry.first_byte_offset || *byte_offset < *entry.first_byte_offset);
  if (earlier) entry.first_byte_offset = byte_offset;
  if (earlier || entry.example.empty()) {
    if (!example.empty()) entry.example = std::string(example.substr(0, 120));
  }
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const auto& [kind, entry] : other.entries_) {
    add(kind, entry.first_byte_offset, entry.example, entry.count);
  }
}

std::uint64_t Diagnostics::count(std::string_view kind) const {
  const auto found = entries_.find(kind);
  return found == entries_.end() ? 0 : found->second.count;
}

}  // namespace pagoda
