#include "analysis/event_class.h"

#include <algorithm>
#include <cctype>

namespace pagoda {

bool contains_ignoring_case(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

EventClass EventClassifier::of(const GpuEvent& event) {
  if (event.kind == GpuEventKind::memcpy) return EventClass::memcpy;
  if (event.kind == GpuEventKind::memset) return EventClass::memset;
  char& known = by_name_[event.name];
  if (known == kUnseen) {
    const std::string_view name = trace_.text(event.name);
    known = contains_ignoring_case(name, "nccl") || contains_ignoring_case(name, "rccl") ? 1 : 0;
  }
  return known == 1 ? EventClass::communication : EventClass::compute;
}

}  // namespace pagoda
