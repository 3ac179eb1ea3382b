#include "analysis/attribution.h"

#include <algorithm>
#include <tuple>

#include "analysis/event_class.h"

namespace pagoda {
namespace {

constexpr std::string_view kBackwardOp = "autograd::engine::evaluate_function";
constexpr std::string_view kOptimizer = "Optimizer.step";

/// Rows of trace.scopes ordered by a number they carry, for finding the op that an id names.
struct Numbered {
  std::uint64_t number;
  Nanos start_ns;
  std::uint32_t scope;
  bool operator<(const Numbered& other) const {
    return std::tie(number, start_ns, scope) < std::tie(other.number, other.start_ns, other.scope);
  }
};

class Attributor {
 public:
  explicit Attributor(const Trace& trace) : trace_(trace), classes_(trace) {
    mark_backward_threads();
    index_forward_ops();
  }

  Attribution of(const GpuEvent& event) {
    if (event.launch == kNone) return without_launch(event);
    if (event.launch != last_launch_) {
      last_launch_ = event.launch;
      last_ = of_launch(trace_.launches[event.launch]);
    }
    Attribution result = last_;
    if (classes_.is_communication(event)) result.phase = Phase::communication;
    return result;
  }

 private:
  Attribution without_launch(const GpuEvent& event) {
    Attribution result;
    if (classes_.is_communication(event)) result.phase = Phase::communication;
    return result;
  }

  Attribution of_launch(const Launch& launch) {
    Attribution result;
    std::uint32_t from = launch.scope;
    result.how = Attributed::launch_only;
    if (launch.kind == RuntimeCallKind::graph_launch) {
      result.how = Attributed::graph;
    } else if (nearest_op(from) != kNone) {
      result.how = Attributed::correlation;
    } else if (const std::uint32_t named = op_by_external_id(launch); named != kNone) {
      from = named;
      result.how = Attributed::external_id;
    }
    walk(from, launch, result);
    if (result.how == Attributed::graph) result.op = kNone;
    return result;
  }

  std::uint32_t nearest_op(std::uint32_t scope) const {
    while (scope != kNone && trace_.scopes[scope].kind != ScopeKind::op) scope = trace_.scopes[scope].parent;
    return scope;
  }

  void walk(std::uint32_t scope, const Launch& launch, Attribution& result) const {
    bool backward = launch.thread < backward_thread_.size() && backward_thread_[launch.thread];
    bool optimizer = false;
    std::uint32_t backward_op = kNone;
    for (; scope != kNone; scope = trace_.scopes[scope].parent) {
      const HostScope& row = trace_.scopes[scope];
      const std::string_view name = trace_.text(row.name);
      switch (row.kind) {
        case ScopeKind::op:
          if (result.op == kNone) result.op = scope;
          if (name.starts_with(kBackwardOp)) {
            backward = true;
            backward_op = scope;
          }
          break;
        case ScopeKind::module:
          if (result.module == kNone) result.module = scope;
          break;
        case ScopeKind::python:
          if (result.python == kNone) result.python = scope;
          break;
        case ScopeKind::annotation:
          if (result.annotation == kNone) result.annotation = scope;
          break;
      }
      if (name.find(kOptimizer) != std::string_view::npos) optimizer = true;
    }
    if (backward && result.module == kNone) result.module = forward_module(backward_op);
    const bool has_scope =
        result.op != kNone || result.module != kNone || result.python != kNone || result.annotation != kNone;
    if (optimizer) {
      result.phase = Phase::optimizer;
    } else if (backward) {
      result.phase = Phase::backward;
    } else if (has_scope) {
      result.phase = Phase::forward;
    }
  }

  // Autograd runs backward ops on threads of its own; whatever such a thread launches is backward.
  void mark_backward_threads() {
    backward_thread_.assign(trace_.threads.size(), false);
    std::vector<bool> has_forward(trace_.threads.size(), false);
    for (const HostScope& scope : trace_.scopes) {
      if (scope.kind != ScopeKind::op || scope.parent != kNone || scope.thread >= backward_thread_.size())
        continue;
      if (trace_.text(scope.name).starts_with("autograd::engine")) {
        backward_thread_[scope.thread] = true;
      } else {
        has_forward[scope.thread] = true;
      }
    }
    // backward() called on a CPU-only graph runs on the caller's thread: there only the op itself decides.
    for (std::size_t t = 0; t < has_forward.size(); ++t) {
      if (has_forward[t]) backward_thread_[t] = false;
    }
  }

  void index_forward_ops() {
    for (std::uint32_t row = 0; row < trace_.scopes.size(); ++row) {
      const HostScope& scope = trace_.scopes[row];
      if (scope.autograd == kNone || scope.kind != ScopeKind::op) continue;
      const Autograd& link = trace_.autograd[scope.autograd];
      if (link.sequence_number >= 0 && link.forward_thread == 0) {
        forward_ops_.push_back({static_cast<std::uint64_t>(link.sequence_number), scope.start_ns, row});
      }
    }
    std::sort(forward_ops_.begin(), forward_ops_.end());
  }

  // An op that makes no autograd node carries the number of the next one: the last op before the backward
  // with the same number is the one that made the node.
  std::uint32_t forward_module(std::uint32_t backward_op) const {
    if (backward_op == kNone || trace_.scopes[backward_op].autograd == kNone) return kNone;
    const HostScope& backward = trace_.scopes[backward_op];
    const Autograd& link = trace_.autograd[backward.autograd];
    if (link.sequence_number < 0) return kNone;
    const Numbered limit{static_cast<std::uint64_t>(link.sequence_number), backward.start_ns, 0};
    auto found = std::lower_bound(forward_ops_.begin(), forward_ops_.end(), limit);
    if (found == forward_ops_.begin() || (--found)->number != limit.number) return kNone;
    std::uint32_t scope = found->scope;
    while (scope != kNone && trace_.scopes[scope].kind != ScopeKind::module)
      scope = trace_.scopes[scope].parent;
    return scope;
  }

  std::uint32_t op_by_external_id(const Launch& launch) {
    if (launch.external_id == 0) return kNone;
    if (!external_ids_indexed_) index_external_ids();
    const Numbered wanted{launch.external_id, 0, 0};
    const auto at_id = [](const Numbered& a, const Numbered& b) { return a.number < b.number; };
    const auto [first, last] = std::equal_range(external_ids_.begin(), external_ids_.end(), wanted, at_id);
    for (auto candidate = last; candidate != first;) {
      const HostScope& op = trace_.scopes[(--candidate)->scope];
      if (op.start_ns <= launch.start_ns && launch.start_ns < op.end_ns()) return candidate->scope;
    }
    return kNone;
  }

  void index_external_ids() {
    external_ids_indexed_ = true;
    for (std::uint32_t row = 0; row < trace_.scopes.size(); ++row) {
      const HostScope& scope = trace_.scopes[row];
      if (scope.external_id != 0 && scope.kind == ScopeKind::op) {
        external_ids_.push_back({scope.external_id, scope.start_ns, row});
      }
    }
    std::sort(external_ids_.begin(), external_ids_.end());
  }

  const Trace& trace_;
  EventClassifier classes_;
  std::vector<bool> backward_thread_;
  std::vector<Numbered> forward_ops_;
  std::vector<Numbered> external_ids_;
  bool external_ids_indexed_ = false;
  std::uint32_t last_launch_ = kNone;  // the kernels of a graph replay share one launch
  Attribution last_;
};

// Events without a launch at the head of a device's time line were launched before the profiler started;
// later ones lost their launch for another reason.
void mark_launched_before_capture(const Trace& trace, std::vector<Attribution>& attributions) {
  std::uint32_t device = kNone;
  bool head = false;
  for (std::size_t row = 0; row < trace.gpu_events.size(); ++row) {
    const GpuEvent& event = trace.gpu_events[row];
    if (event.device != device || row == 0) {
      device = event.device;
      head = true;
    }
    head = head && event.launch == kNone;
    if (head) attributions[row].how = Attributed::before_capture;
  }
}

}  // namespace

std::vector<Attribution> attribute(const Trace& trace) {
  std::vector<Attribution> attributions;
  attributions.reserve(trace.gpu_events.size());
  Attributor attributor(trace);
  for (const GpuEvent& event : trace.gpu_events) attributions.push_back(attributor.of(event));
  mark_launched_before_capture(trace, attributions);
  return attributions;
}

}  // namespace pagoda
