#include "analysis/host_activity.h"

#include <algorithm>
#include <array>
#include <string>

namespace pagoda {
namespace {

constexpr std::array<std::string_view, 6> kReadBackOps = {"aten::item",    "aten::_local_scalar_dense",
                                                          "aten::nonzero", "aten::is_nonzero",
                                                          "aten::equal",   "aten::masked_select"};

bool reads_back(std::string_view name) {
  return std::find(kReadBackOps.begin(), kReadBackOps.end(), name) != kReadBackOps.end();
}

// cudaMemcpy blocks; cudaMemcpyAsync does not by itself (from pageable memory it may: then a synchronise or a
// read-back op around it says so).
bool blocks(const Trace& trace, const Launch& launch) {
  if (launch.kind == RuntimeCallKind::synchronize) return true;
  return launch.kind == RuntimeCallKind::memcpy &&
         trace.text(launch.name).find("Async") == std::string_view::npos;
}

bool is_loader(std::string_view name) {
  return name.find("DataLoader") != std::string_view::npos ||
         name.find("dataloader") != std::string_view::npos;
}

void append(std::vector<IntervalSet>& sets, std::uint32_t thread, Nanos start_ns, Nanos end_ns) {
  if (thread >= sets.size() || end_ns <= start_ns) return;
  // Rows come sorted by start within a thread, so merging with the last interval is enough.
  IntervalSet& set = sets[thread];
  if (!set.empty() && start_ns <= set.back().end_ns) {
    set.back().end_ns = std::max(set.back().end_ns, end_ns);
  } else {
    set.push_back({start_ns, end_ns});
  }
}

}  // namespace

HostActivity::HostActivity(const Trace& trace)
    : trace_(trace),
      waiting_(trace.threads.size()),
      working_(trace.threads.size()),
      loading_(trace.threads.size()) {
  // Names repeat: each distinct one is looked at once.
  std::vector<char> name_reads_back(trace.strings.size()), name_is_loader(trace.strings.size());
  for (StringId name = 0; name < trace.strings.size(); ++name) {
    name_reads_back[name] = reads_back(trace.text(name));
    name_is_loader[name] = is_loader(trace.text(name));
  }
  std::vector<IntervalSet> op_waiting(trace.threads.size());
  for (const HostScope& scope : trace.scopes) {
    const bool op = scope.kind == ScopeKind::op;
    if (op) append(working_, scope.thread, scope.start_ns, scope.end_ns());
    if (op && name_reads_back[scope.name]) append(op_waiting, scope.thread, scope.start_ns, scope.end_ns());
    if (name_is_loader[scope.name]) append(loading_, scope.thread, scope.start_ns, scope.end_ns());
  }
  std::vector<IntervalSet> calls(trace.threads.size());
  for (const Launch& launch : trace.launches) {
    append(calls, launch.thread, launch.start_ns, launch.end_ns());
    if (blocks(trace, launch)) append(waiting_, launch.thread, launch.start_ns, launch.end_ns());
  }
  for (std::size_t thread = 0; thread < trace.threads.size(); ++thread) {
    working_[thread] = union_of(working_[thread], calls[thread]);
    waiting_[thread] = union_of(waiting_[thread], op_waiting[thread]);
  }
}

const IntervalSet& HostActivity::of(const std::vector<IntervalSet>& sets, std::uint32_t thread) {
  static const IntervalSet kEmpty;
  return thread < sets.size() ? sets[thread] : kEmpty;
}

std::string HostActivity::waiting_name(std::uint32_t thread, Nanos at_ns) const {
  const auto after = std::upper_bound(
      trace_.launches.begin(), trace_.launches.end(), std::pair(thread, at_ns),
      [](const auto& key, const Launch& launch) { return key < std::pair(launch.thread, launch.start_ns); });
  constexpr int kCallsToLookBack = 32;  // a wait holds few calls inside it
  auto call = after;
  for (int looked = 0; looked < kCallsToLookBack && call != trace_.launches.begin(); ++looked) {
    --call;
    if (call->thread != thread) break;
    if (!blocks(trace_, *call) || call->end_ns() <= at_ns) continue;
    std::string name(trace_.text(call->name));
    for (std::uint32_t s = call->scope; s != kNone; s = trace_.scopes[s].parent) {
      if (trace_.scopes[s].kind == ScopeKind::op)
        return name + " in " + std::string(trace_.text(trace_.scopes[s].name));
    }
    return name;
  }
  return "value read back to the host";
}

IntervalSet clip(const IntervalSet& set, Interval to) {
  IntervalSet inside;
  auto next = std::upper_bound(set.begin(), set.end(), to.start_ns,
                               [](Nanos at, const Interval& interval) { return at < interval.end_ns; });
  for (; next != set.end() && next->start_ns < to.end_ns; ++next) {
    inside.push_back({std::max(next->start_ns, to.start_ns), std::min(next->end_ns, to.end_ns)});
  }
  return inside;
}

}  // namespace pagoda
