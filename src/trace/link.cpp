#include <algorithm>
#include <tuple>

#include "trace/trace.h"

namespace pagoda {
namespace {

template <typename Row>
bool before_on_thread(const Row& a, const Row& b) {
  return std::tuple(a.thread, a.start_ns, -a.duration_ns) < std::tuple(b.thread, b.start_ns, -b.duration_ns);
}

/// Merges the ascending runs of a list: profilers write each thread nearly in order, so there are few.
template <typename Less>
void merge_runs(std::uint32_t* begin, std::uint32_t* end, const Less& less) {
  std::vector<std::uint32_t*> bounds = {begin};
  for (std::uint32_t* at = begin; at != end; ++at) {
    if (at + 1 == end || less(at[1], at[0])) bounds.push_back(at + 1);
  }
  while (bounds.size() > 2) {
    std::vector<std::uint32_t*> merged = {begin};
    for (std::size_t i = 2; i < bounds.size(); i += 2) {
      // Steps of a profile follow one another: most neighbours are in order as they are.
      if (less(*bounds[i - 1], *(bounds[i - 1] - 1)))
        std::inplace_merge(bounds[i - 2], bounds[i - 1], bounds[i], less);
      merged.push_back(bounds[i]);
    }
    if (merged.back() != end) merged.push_back(end);
    bounds = std::move(merged);
  }
}

/// Stable sort by (thread, start, -duration).
template <typename Row>
void sort_by_thread(std::vector<Row>& rows, std::size_t threads) {
  if (std::is_sorted(rows.begin(), rows.end(), before_on_thread<Row>)) return;
  const auto bucket = [&](const Row& row) {
    return std::min<std::size_t>(row.thread, threads);
  };  // kNone: last
  std::vector<std::uint32_t> first(threads + 2, 0);
  for (const Row& row : rows) ++first[bucket(row) + 1];
  for (std::size_t thread = 1; thread < first.size(); ++thread) first[thread] += first[thread - 1];
  std::vector<std::uint32_t> order(rows.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t row = 0; row < rows.size(); ++row) order[next[bucket(rows[row])]++] = row;
  for (std::size_t thread = 0; thread + 1 < first.size(); ++thread) {
    merge_runs(order.data() + first[thread], order.data() + first[thread + 1],
               [&](std::uint32_t a, std::uint32_t b) { return before_on_thread(rows[a], rows[b]); });
  }
  // In place, cycle by cycle: a copy of the largest table would be the peak of the program's memory.
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const Row displaced = rows[row];
    std::uint32_t at = row;
    for (std::uint32_t from = order[at]; from != row; from = order[at]) {
      rows[at] = rows[from];
      order[at] = at;
      at = from;
    }
    rows[at] = displaced;
    order[at] = at;
  }
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
  sort_by_thread(trace.scopes, trace.threads.size());
  ScopeStack stack(trace.scopes);
  for (std::uint32_t row = 0; row < trace.scopes.size(); ++row) {
    HostScope& scope = trace.scopes[row];
    stack.close_until(scope.thread, scope.start_ns);
    scope.parent = stack.innermost_holding(scope.end_ns());
    stack.open(row);
  }
}

void place_launches_in_scopes(Trace& trace) {
  sort_by_thread(trace.launches, trace.threads.size());
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
