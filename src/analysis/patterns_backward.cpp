#include <algorithm>
#include <tuple>

#include "analysis/work_units.h"

namespace pagoda {
namespace {

/// Gives each backward kernel to the operator of the forward op whose gradient it computes.
class Backward {
 public:
  explicit Backward(Work& work) : work_(work), trace_(work.trace) {}

  void run() {
    if (trace_.autograd.empty()) return;
    index_forward();
    if (forward_ops_.empty()) return;
    for (std::uint32_t i = 0; i < work_.units.size(); ++i) {
      Unit& unit = work_.units[i];
      if (unit.draft != kNone || unit.phase != Phase::backward || unit.op == kNone) continue;
      const std::uint32_t forward = forward_draft(unit.op);
      if (forward != kNone && is_whole(work_.drafts[forward].kind)) unit.draft = backward_draft(forward);
    }
  }

 private:
  struct ForwardOp {
    std::int64_t sequence;
    Nanos start_ns;
    std::uint32_t scope;
    bool operator<(const ForwardOp& other) const {
      return std::tie(sequence, start_ns, scope) < std::tie(other.sequence, other.start_ns, other.scope);
    }
  };
  struct ForwardUnit {
    std::uint32_t thread;
    Nanos start_ns;
    std::uint32_t unit;
    bool operator<(const ForwardUnit& other) const {
      return std::tie(thread, start_ns, unit) < std::tie(other.thread, other.start_ns, other.unit);
    }
  };

  void index_forward() {
    work_.unit_of_scope.assign(trace_.scopes.size(), kNone);
    for (std::uint32_t i = 0; i < work_.units.size(); ++i) {
      const Unit& unit = work_.units[i];
      if (unit.op == kNone || unit.phase != Phase::forward) continue;
      const HostScope& op = trace_.scopes[unit.op];
      forward_units_.push_back({op.thread, op.start_ns, i});
      for (std::uint32_t s = unit.op; s != kNone && trace_.scopes[s].kind == ScopeKind::op;
           s = trace_.scopes[s].parent) {
        if (work_.unit_of_scope[s] == kNone) work_.unit_of_scope[s] = i;
      }
    }
    if (!std::is_sorted(forward_units_.begin(), forward_units_.end())) {
      std::sort(forward_units_.begin(), forward_units_.end());
    }
    for (std::uint32_t row = 0; row < trace_.scopes.size(); ++row) {
      const HostScope& scope = trace_.scopes[row];
      if (scope.autograd == kNone || scope.kind != ScopeKind::op) continue;
      const Autograd& link = trace_.autograd[scope.autograd];
      if (link.sequence_number >= 0 && link.forward_thread == 0) {
        forward_ops_.push_back({link.sequence_number, scope.start_ns, row});
      }
    }
    if (!std::is_sorted(forward_ops_.begin(), forward_ops_.end())) {
      std::sort(forward_ops_.begin(), forward_ops_.end());
    }
  }

  // The gradients of a matmul are matmuls of their own shapes, and plain ops say themselves what they are.
  static bool is_whole(OperatorKind kind) {
    switch (kind) {
      case OperatorKind::gemm:
      case OperatorKind::gemv:
      case OperatorKind::elementwise:
      case OperatorKind::copy:
      case OperatorKind::cast:
      case OperatorKind::fill:
      case OperatorKind::reduction:
      case OperatorKind::gather:
      case OperatorKind::kv_cache:
      case OperatorKind::collective:
      case OperatorKind::other: return false;
      default: return true;
    }
  }

  // The op that made an autograd node is the last one with the node's number (see attribution.cpp).
  std::uint32_t forward_scope(std::uint32_t scope) {
    for (; scope != kNone; scope = trace_.scopes[scope].parent) {
      const HostScope& row = trace_.scopes[scope];
      if (row.autograd == kNone) continue;
      const Autograd& link = trace_.autograd[row.autograd];
      if (link.sequence_number < 0 || link.forward_thread == 0) continue;
      if (scope != last_node_) {  // the kernels of one node follow each other
        last_node_ = scope;
        last_forward_ = maker_of(link.sequence_number, row.start_ns);
      }
      return last_forward_;
    }
    return kNone;
  }

  std::uint32_t maker_of(std::int64_t sequence, Nanos before_ns) const {
    const auto found =
        std::lower_bound(forward_ops_.begin(), forward_ops_.end(), ForwardOp{sequence, before_ns, 0});
    if (found == forward_ops_.begin() || std::prev(found)->sequence != sequence) return kNone;
    return std::prev(found)->scope;
  }

  std::uint32_t forward_draft(std::uint32_t op) {
    const std::uint32_t scope = forward_scope(op);
    if (scope == kNone) return kNone;
    if (work_.unit_of_scope[scope] != kNone) return work_.units[work_.unit_of_scope[scope]].draft;
    // A view launches nothing: it belongs to an operator when the kernels before and after it do.
    const HostScope& view = trace_.scopes[scope];
    const auto after = std::lower_bound(forward_units_.begin(), forward_units_.end(),
                                        ForwardUnit{view.thread, view.start_ns, 0});
    if (after == forward_units_.begin() || after == forward_units_.end()) return kNone;
    if (after->thread != view.thread || std::prev(after)->thread != view.thread) return kNone;
    const std::uint32_t draft = work_.units[after->unit].draft;
    return draft == work_.units[std::prev(after)->unit].draft ? draft : kNone;
  }

  std::uint32_t backward_draft(std::uint32_t forward) {
    const auto [found, fresh] = backward_of_.try_emplace(forward, kNone);
    if (fresh) {
      const Draft draft = work_.drafts[forward];
      found->second =
          work_.add_draft(draft.kind, draft.how, draft.confidence_fraction * 0.95f, Phase::backward);
      work_.drafts[found->second].forward = forward;
    }
    return found->second;
  }

  Work& work_;
  const Trace& trace_;
  std::vector<ForwardOp> forward_ops_;
  std::vector<ForwardUnit> forward_units_;
  std::uint32_t last_node_ = kNone, last_forward_ = kNone;
  std::unordered_map<std::uint32_t, std::uint32_t> backward_of_;
};

}  // namespace

void recognise_backward(Work& work) { Backward(work).run(); }

}  // namespace pagoda
