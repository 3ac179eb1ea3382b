#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/attribution.h"
#include "analysis/cost_model.h"
#include "analysis/roofline.h"
#include "analysis/work_names.h"

namespace pagoda {

/// What the arguments of one op tell, shared by all calls that have the same.
struct OpFacts {
  OpCost cost;
  StringId dims = 0;         ///< text of the shapes, for the reader
  bool kv_append = false;    ///< a cat that appends to a cache of keys or values
  bool repeats = false;      ///< a copy that writes an expanded tensor out
  bool square_mask = false;  ///< adds or selects with a mask of queries x keys, as causal attention does
  std::int64_t last_dim = 0;
};

/// GPU events of one op call that follow each other on a stream; a kernel whose op is unknown stands alone.
struct Unit {
  std::uint32_t first_event = 0;  ///< into Work::events
  std::uint32_t event_count = 0;
  std::uint32_t stream = 0;     ///< units of one device and stream have equal numbers and stand together
  std::uint32_t op = kNone;     ///< row of Trace::scopes
  std::uint32_t scope = kNone;  ///< innermost scope around the launch
  std::uint32_t facts = kNone;  ///< row of Work::facts
  std::uint32_t draft = kNone;  ///< row of Work::drafts
  StringId kernel = 0;          ///< its longest event's name
  Nanos time_ns = 0;
  float share = 1;  ///< of the op's cost, where the op's kernels are not adjacent
  Phase phase = Phase::unknown;
  Role role = Role::none;
  bool by_kernel = false;  ///< the role is known from the kernel's name only
};

/// An operator being put together.
struct Draft {
  OperatorKind kind = OperatorKind::other;
  RecognisedBy how = RecognisedBy::none;
  float confidence_fraction = 0;
  Phase phase = Phase::unknown;
  std::uint32_t forward = kNone;  ///< of a backward operator: its forward draft, where known
};

/// Everything the recognisers share.
struct Work {
  const Trace& trace;
  const std::vector<Attribution>& attributions;
  std::vector<std::uint32_t> events;  ///< rows of trace.gpu_events by device, stream and time, in the window
  std::vector<Unit> units;
  std::vector<OpFacts> facts;
  std::vector<Draft> drafts;
  std::vector<std::uint32_t> unit_of_scope;  ///< per scope: a unit launched under it in the forward pass

  const OpCost* cost(const Unit& unit) const {
    return unit.facts == kNone || !facts[unit.facts].cost.known ? nullptr : &facts[unit.facts].cost;
  }
  std::uint32_t add_draft(OperatorKind kind, RecognisedBy how, float confidence, Phase phase) {
    drafts.push_back({kind, how, confidence, phase, kNone});
    return static_cast<std::uint32_t>(drafts.size() - 1);
  }
};

/// Cuts the GPU events of the window into units and prices each. Linear; every distinct name and argument
/// list is looked at once.
Work make_work(const Trace& trace, const std::vector<Attribution>& attributions,
               const ExplainOptions& options);

/// The recognisers, in the order in which they claim units.
void recognise_regions(Work& work);
void recognise_sequences(Work& work);
void recognise_backward(Work& work);
void recognise_single(Work& work);
/// recognise_single for all but backward units, so that backward finds the operators it belongs to.
void recognise_forward_single(Work& work);

}  // namespace pagoda
