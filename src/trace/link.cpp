#include <algorithm>
#include <tuple>

#include "trace/trace.h"

namespace pagoda {
namespace {

template <typename Row>
bool before_on_thread(const Row& a, const Row& b) {
  return std::tuple(a.thread, a.start_ns, -a.duration_ns) < std::tuple(b.thread, b.start_ns, -b.duration_ns);
}

/// Walks the scopes of one thread in time order and knows which are open.
class ScopeStack {
 public:
  explicit ScopeStack(const std::vector<HostScope>& scopes) : scopes_(scopes) {}

  void close_until(std::uint32_t thread, Nanos now) {
    while (!open_.empty()) {
      const HostScope& top = scopes_[open_.back()];
      if (top.thread == thread && top.end_ns() > now) return;
      open_.pop_back();
    }
  }
  void open(std::uint32_t scope) { open_.push_back(scope); }
  std::uint32_t innermost() const { return open_.empty() ? kNone : open_.back(); }

  /// Scopes may overlap without nesting (a generator's frame, an unfinished annotation): only a scope that
  /// holds the whole of [.., end) can be the parent.
  std::uint32_t innermost_holding(Nanos end_ns) const {
    for (auto scope = open_.rbegin(); scope != open_.rend(); ++scope) {
      if (scopes_[*scope].end_ns() >= end_ns) return *scope;
    }
    return kNone;
  }

 private:
  const std::vector<HostScope>& scopes_;
  std::vector<std::uint32_t> open_;
};

void nest_scopes(Trace& trace) {
  // A zero-length scope that starts where its enclosing scope ends is not inside it: close_until compares
  // with >. Stable: of two scopes with the same extent the one recorded first is the outer.
  std::stable_sort(trace.scopes.begin(), trace.scopes.end(), before_on_thread<HostScope>);
  ScopeStack stack(trace.scopes);
  for (std::uint32_t row = 0; row < trace.scopes.size(); ++row) {
    HostScope& scope = trace.scopes[row];
    stack.close_until(scope.thread, scope.start_ns);
    scope.parent = stack.innermost_holding(scope.end_ns());
    stack.open(row);
  }
}

void place_launches_in_scopes(Trace& trace) {
  std::stable_sort(trace.launches.begin(), trace.launches.end(), before_on_thread<Launch>);
  ScopeStack stack(trace.scopes);
  std::uint32_t next = 0;
  for (Launch& launch : trace.launches) {
    while (next < trace.scopes.size()) {
      const HostScope& scope = trace.scopes[next];
      if (std::tie(scope.thread, scope.start_ns) > std::tie(launch.thread, launch.start_ns)) break;
      stack.close_until(scope.thread, scope.start_ns);
      stack.open(next++);
    }
    stack.close_until(launch.thread, launch.start_ns);
    launch.scope = stack.innermost();
  }
}

struct Correlated {
  std::uint32_t process;
  std::uint64_t correlation;
  bool is_helper_call;  // not a launch, copy or memset: used only where nothing better has the id
  std::uint32_t launch;

  std::pair<std::uint32_t, std::uint64_t> key() const { return {process, correlation}; }
};

void link_gpu_events(Trace& trace) {
  std::vector<Correlated> calls;
  calls.reserve(trace.launches.size());
  for (std::uint32_t row = 0; row < trace.launches.size(); ++row) {
    const Launch& launch = trace.launches[row];
    if (launch.correlation == 0) continue;
    const bool helper = launch.kind == RuntimeCallKind::synchronize ||
                        launch.kind == RuntimeCallKind::allocation || launch.kind == RuntimeCallKind::other;
    calls.push_back({launch.process, launch.correlation, helper, row});
  }
  std::sort(calls.begin(), calls.end(), [](const Correlated& a, const Correlated& b) {
    return std::tuple(a.key(), a.is_helper_call, a.launch) < std::tuple(b.key(), b.is_helper_call, b.launch);
  });
  for (GpuEvent& event : trace.gpu_events) {
    event.launch = kNone;
    if (event.correlation == 0) continue;
    const std::pair key{event.process, event.correlation};
    const auto found =
        std::lower_bound(calls.begin(), calls.end(), key,
                         [](const Correlated& call, const auto& wanted) { return call.key() < wanted; });
    if (found != calls.end() && found->key() == key) event.launch = found->launch;
  }
}

}  // namespace

void link(Trace& trace) {
  nest_scopes(trace);
  place_launches_in_scopes(trace);
  const auto& strings = trace.strings;
  std::sort(trace.gpu_events.begin(), trace.gpu_events.end(), [&](const GpuEvent& a, const GpuEvent& b) {
    const auto key = [](const GpuEvent& e) { return std::tuple(e.device, e.start_ns, e.end_ns(), e.stream); };
    if (key(a) != key(b)) return key(a) < key(b);
    // By text, not by id: ids depend on the order of events in the file, and reports must not.
    if (a.name != b.name) return strings.view(a.name) < strings.view(b.name);
    return std::tuple(a.process, a.correlation) < std::tuple(b.process, b.correlation);
  });
  link_gpu_events(trace);
}

}  // namespace pagoda
