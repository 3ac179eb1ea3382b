#include <algorithm>
#include <array>

#include "analysis/event_class.h"
#include "analysis/work_units.h"

namespace pagoda {
namespace {

using Kind = OperatorKind;

/// A product with this few rows or columns reads its matrix once for them: a GEMV to the memory system.
constexpr double kVectorRows = 8;

/// What a unit is by its own op or kernel, once nothing larger claimed it.
class Singles {
 public:
  explicit Singles(Work& work)
      : work_(work),
        trace_(work.trace),
        classes_(work.trace),
        op_kind_(work.trace.strings.size(), kUnseen),
        kernel_kind_(work.trace.strings.size(), kUnseen) {}

  void run(bool forward_only) {
    for (std::uint32_t i = 0; i < work_.units.size(); ++i) {
      if (forward_only && work_.units[i].phase == Phase::backward) continue;
      if (work_.units[i].draft == kNone) classify(i);
    }
    if (!forward_only) join_elementwise();
  }

 private:
  static constexpr std::uint8_t kUnseen = 0xFF;

  // Elementwise kernels that hand a tensor on have no better name together than alone, but one fused kernel
  // would replace them: casts between them come along.
  void join_elementwise() {
    for (std::uint32_t i = 1; i < work_.units.size(); ++i) {
      const Unit& before = work_.units[i - 1];
      Unit& unit = work_.units[i];
      if (before.stream != unit.stream || before.phase != unit.phase || !joins(before) || !joins(unit))
        continue;
      const bool plain = work_.drafts[before.draft].kind == Kind::elementwise ||
                         work_.drafts[unit.draft].kind == Kind::elementwise;
      if (!plain || !hands_on(before, unit)) continue;
      Draft& draft = work_.drafts[before.draft];
      draft.kind = Kind::elementwise;
      draft.how = RecognisedBy::sequence;
      draft.confidence_fraction = 0.9f;
      unit.draft = before.draft;
    }
  }
  bool joins(const Unit& unit) const {
    const Draft& draft = work_.drafts[unit.draft];
    const bool kind = draft.kind == Kind::elementwise || draft.kind == Kind::cast;
    return kind && work_.cost(unit) && !work_.cost(unit)->suspect &&
           (draft.how == RecognisedBy::op || draft.how == RecognisedBy::sequence);
  }
  bool hands_on(const Unit& from, const Unit& to) const {
    for (const Access& write : work_.cost(from)->writes) {
      for (const Access& read : work_.cost(to)->reads) {
        if (write.elements > 1 && write.same_tensor(read)) return true;
      }
    }
    return false;
  }

  Kind by_op(std::uint32_t scope) {
    const StringId name = trace_.scopes[scope].name;
    if (op_kind_[name] == kUnseen) op_kind_[name] = static_cast<std::uint8_t>(kind_of_op(trace_.text(name)));
    return static_cast<Kind>(op_kind_[name]);
  }
  Kind by_kernel(StringId name) {
    if (kernel_kind_[name] == kUnseen) {
      kernel_kind_[name] = static_cast<std::uint8_t>(kind_of_kernel(trace_.text(name)));
    }
    return static_cast<Kind>(kernel_kind_[name]);
  }

  void classify(std::uint32_t i) {
    Unit& unit = work_.units[i];
    const GpuEvent& event = trace_.gpu_events[work_.events[unit.first_event]];
    if (classes_.is_communication(event)) {
      unit.draft = work_.add_draft(Kind::collective, RecognisedBy::kernel, 1, unit.phase);
    } else if (unit.phase == Phase::optimizer) {
      unit.draft = optimizer_draft(i);
    } else if (unit.op == kNone) {
      without_op(unit, event);
    } else {
      with_op(i, event);
    }
  }

  // A loop over parameters is one operator; a fused optimizer's call is one by itself.
  std::uint32_t optimizer_draft(std::uint32_t i) {
    const Unit& unit = work_.units[i];
    if (i > 0) {
      const Unit& before = work_.units[i - 1];
      const bool adjacent = before.stream == unit.stream && before.draft != kNone &&
                            before.phase == Phase::optimizer &&
                            work_.drafts[before.draft].kind == Kind::optimizer;
      if (adjacent && (before.op == unit.op || (!is_fused(before) && !is_fused(unit)))) return before.draft;
    }
    return work_.add_draft(Kind::optimizer, RecognisedBy::op, 1, unit.phase);
  }
  bool is_fused(const Unit& unit) { return unit.op != kNone && by_op(unit.op) == Kind::optimizer; }

  void without_op(Unit& unit, const GpuEvent& event) {
    if (event.kind == GpuEventKind::kernel) {
      const Kind kind = by_kernel(unit.kernel);
      const bool known = kind != Kind::other;
      unit.draft = work_.add_draft(kind, known ? RecognisedBy::kernel : RecognisedBy::none,
                                   known ? 0.5f : 0.0f, unit.phase);
    } else {
      const Kind kind = event.kind == GpuEventKind::memcpy ? Kind::copy : Kind::fill;
      unit.draft = work_.add_draft(kind, RecognisedBy::kernel, 1, unit.phase);
    }
  }

  void with_op(std::uint32_t i, const GpuEvent& event) {
    Unit& unit = work_.units[i];
    Kind kind = by_op(unit.op);
    std::uint32_t whole = kNone;
    if (is_part(kind)) whole = enclosing(unit.op);
    if (whole != kNone) {
      claim_whole(unit, whole);
      return;
    }
    RecognisedBy how = RecognisedBy::op;
    float confidence = 1;
    if (kind == Kind::other || unit.op == kNone) {
      kind = event.kind == GpuEventKind::memcpy   ? Kind::copy
             : event.kind == GpuEventKind::memset ? Kind::fill
                                                  : by_kernel(unit.kernel);
      how = kind == Kind::other ? RecognisedBy::none : RecognisedBy::kernel;
      confidence = kind == Kind::other ? 0.0f : 0.5f;
    }
    unit.draft = work_.add_draft(refined(kind, unit), how, confidence, unit.phase);
  }

  // Ops that larger ops are made of: whoever calls them says what they are for.
  static bool is_part(Kind kind) {
    return kind == Kind::copy || kind == Kind::fill || kind == Kind::elementwise || kind == Kind::gather ||
           kind == Kind::reduction || kind == Kind::gemm || kind == Kind::gemv || kind == Kind::softmax ||
           kind == Kind::other;
  }
  static bool is_whole(Kind kind) {
    return kind == Kind::attention || kind == Kind::embedding || kind == Kind::layer_norm ||
           kind == Kind::rms_norm || kind == Kind::group_norm || kind == Kind::softmax ||
           kind == Kind::loss || kind == Kind::convolution || kind == Kind::moe || kind == Kind::quantize ||
           kind == Kind::rope || kind == Kind::swiglu || kind == Kind::kv_cache || kind == Kind::sampling;
  }

  std::uint32_t enclosing(std::uint32_t op) {
    std::uint32_t whole = kNone;
    std::uint32_t scope = trace_.scopes[op].parent;
    for (int level = 0; level < 6 && scope != kNone; ++level, scope = trace_.scopes[scope].parent) {
      if (trace_.scopes[scope].kind != ScopeKind::op) break;
      if (is_whole(by_op(scope))) whole = scope;
    }
    return whole;
  }

  void claim_whole(Unit& unit, std::uint32_t whole) {
    const std::uint64_t key = static_cast<std::uint64_t>(whole) << 32 | unit.stream;
    const auto [found, fresh] = whole_.try_emplace(key, kNone);
    if (fresh) found->second = work_.add_draft(by_op(whole), RecognisedBy::op, 1, unit.phase);
    unit.draft = found->second;
  }

  Kind refined(Kind kind, const Unit& unit) const {
    const OpCost* cost = work_.cost(unit);
    if (kind == Kind::gemm && cost && cost->matrix_rows > 0 && cost->matrix_rows <= kVectorRows)
      return Kind::gemv;
    if (kind != Kind::copy || unit.facts == kNone) return kind;
    const OpFacts& facts = work_.facts[unit.facts];
    if (facts.kv_append) return Kind::kv_cache;
    if (facts.repeats) return Kind::repeat_kv;
    if (!cost || cost->reads.size() != 1 || cost->writes.size() != 1) return kind;
    return cost->reads[0].bytes_each != cost->writes[0].bytes_each ? Kind::cast : kind;
  }

  Work& work_;
  const Trace& trace_;
  EventClassifier classes_;
  std::vector<std::uint8_t> op_kind_, kernel_kind_;
  std::unordered_map<std::uint64_t, std::uint32_t> whole_;
};

}  // namespace

void recognise_single(Work& work) { Singles(work).run(false); }

void recognise_forward_single(Work& work) { Singles(work).run(true); }

}  // namespace pagoda
