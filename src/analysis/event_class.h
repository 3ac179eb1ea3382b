#pragma once
#include <vector>

#include "trace/trace.h"

namespace pagoda {

/// The four kinds of GPU work that the account tells apart.
enum class EventClass : std::uint8_t { compute, communication, memcpy, memset };

/// Communication is a kernel whose name contains nccl or rccl in any case; every other kernel is compute.
/// Looks at each distinct name once.
class EventClassifier {
 public:
  explicit EventClassifier(const Trace& trace) : trace_(trace), by_name_(trace.strings.size(), kUnseen) {}

  EventClass of(const GpuEvent& event);
  bool is_communication(const GpuEvent& event) { return of(event) == EventClass::communication; }

 private:
  static constexpr char kUnseen = 2;
  const Trace& trace_;
  std::vector<char> by_name_;  // 0 compute, 1 communication
};

/// Case-insensitive search; `lower` must be in lower case.
bool contains_ignoring_case(std::string_view text, std::string_view lower);

}  // namespace pagoda
