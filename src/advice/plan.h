#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/account.h"
#include "core/units.h"

namespace pagoda {

/// A sentence by id and arguments, so that every report renders it in its reader's language from one
/// catalogue (src/report/messages). Arguments are already in display form except where named *_ns, *_fraction
/// or *_bytes, which the renderer formats.
struct Message {
  std::string id;  ///< "path.memory_share", "doubt.idle_overstated"
  std::vector<std::pair<std::string, std::string>> args;
};

/// A quantity known only as an interval. low <= likely <= high.
struct NanosRange {
  Nanos low = 0;
  Nanos likely = 0;
  Nanos high = 0;
};
struct Range {
  double low = 0;
  double likely = 0;
  double high = 0;
};

enum class ActionKind : std::uint8_t {
  graph,
  sync,
  input,
  overlap,
  fuse,
  replace,
  precision,
  layout,
  algorithm
};
std::string_view action_kind_name(ActionKind kind);

/// Who writes the fix: nobody (existing), or an engineer at one of the three tiers.
enum class Tier : std::uint8_t { pytorch, triton, cuda, existing };
std::string_view tier_name(Tier tier);

/// One branch of the decision tree with the number that decided it.
struct PathStep {
  Message question;
  Message answer;
};

/// Where a figure comes from: a measured row of the evidence store, a prior of policy.toml, the roofline, the
/// trace.
struct Evidence {
  std::string source;  ///< "measured", "prior", "model", "trace"
  Message text;
};

/// A known implementation from the catalogue that would do the job on this GPU and dtype.
struct Implementation {
  std::string id;    ///< "flash_attention_3"
  std::string name;  ///< "FlashAttention 3"
  Tier tier = Tier::existing;
  std::string licence;
  std::string switch_on;  ///< one line that a user can paste
  std::string limits;
  std::string version_seen;
  std::string url;
};

/// One row of the source document's ROI table beside what is predicted here.
struct RoiBand {
  std::string label;  ///< "20-50 %"
  double promised_low_fraction = 0;
  double promised_high_fraction = 0;
  std::string proposal;  ///< "evaluate_cuda"
  std::string cost;      ///< "1-4 weeks"
};

/// A line of the selection checklist of one tier, ticked or not, with the evidence for it.
struct ChecklistItem {
  Tier tier = Tier::pytorch;
  Message criterion;
  std::optional<bool> met;  ///< nullopt: nothing known (team, deadline not given)
  Message evidence;
};

struct TierEstimate {
  Tier tier = Tier::triton;
  NanosRange operator_time_ns;  ///< time of the operator per step at this tier
  NanosRange step_after_alone_ns;
  Range dev_days;  ///< likely is unused: low and high only
  Evidence evidence;
};

struct Action {
  std::string id;  ///< stable, readable: "cuda_graph", "fuse_rms_norm", "flash_attention"
  int rank = 0;    ///< 1-based position in the plan
  ActionKind kind = ActionKind::fuse;
  std::string operator_name;  ///< rms_norm, attention, launches, host_sync, ...
  Tier tier = Tier::triton;
  Message title;
  std::vector<PathStep> reason_path;
  double share_fraction = 0;  ///< of the step, before any action
  Nanos time_now_ns = 0;      ///< per step
  Nanos floor_ns = 0;         ///< per step, from the roofline
  NanosRange step_after_alone_ns;
  NanosRange step_after_cumulative_ns;
  Range speedup_end_to_end;  ///< alone, against the step now
  double dev_days_low = 0;
  double dev_days_high = 0;
  std::optional<double> saving_per_month;  ///< in the currency of the given costs
  std::optional<double> payback_days;      ///< nullopt: costs not given, or it never pays back
  RoiBand roi_band;
  bool changes_numerics = false;
  double confidence_fraction = 0;
  std::vector<Evidence> evidence;
  std::vector<Implementation> implementations;
  std::vector<TierEstimate> tiers;  ///< the three tiers compared for this operator
  std::vector<ChecklistItem> checklist;
  std::vector<std::string> kernels;  ///< names of the kernels it replaces, by time, sanitised by reports
  std::vector<std::string> shapes;
  std::int64_t gpu_events_per_step = 0;
  std::vector<Message> risks;
  std::vector<std::uint32_t>
      gpu_events;  ///< rows of the trace it covers (first file), for the Perfetto track
};

/// What was considered and not proposed, and why: a reader must see that it was not forgotten.
struct Declined {
  std::string operator_name;
  Message why;
  std::vector<PathStep> reason_path;
  double share_fraction = 0;
};

struct LadderStep {
  std::string action_id;  ///< empty for the starting point
  Message title;
  NanosRange step_ns;
  Range per_second;  ///< steps (tokens) per second
};

struct PlanOperator {
  std::string operator_name;
  std::string phase;
  Nanos time_ns = 0;          ///< per step
  double share_fraction = 0;  ///< of GPU busy time
  Bound bound = Bound::unknown;
  std::string known_by;      ///< "counters", "modelled", "name", "none"
  double flops = -1;         ///< per step; -1 unknown
  double bytes = -1;         ///< DRAM bytes per step; -1 unknown
  double sol_fraction = -1;  ///< floor / time; -1 unknown
  double arithmetic_intensity = -1;
  double achieved_flops_per_s = -1;
  double achieved_bytes_per_s = -1;
  bool model_error = false;    ///< above 105 % of a roof
  std::int64_t instances = 0;  ///< per step
  std::int64_t gpu_events = 0;
  std::string shapes;
};

/// The decision for one workload. Everything a report shows is here; reports compute nothing but layout.
struct Plan {
  Analysis analysis;  ///< the account it rests on, with classified buckets
  std::string device_name;
  bool hardware_known = false;
  std::string hardware_source;
  double peak_flops = -1;  ///< of the dominant matrix dtype; -1 unknown
  std::string peak_dtype;
  double dram_bytes_per_s = -1;
  bool ceilings_measured = false;

  std::int64_t steps = 1;
  std::string step_label;  ///< "decode_step", "ProfilerStep", "whole window"
  Nanos profiled_step_ns = 0;
  Nanos step_ns = 0;  ///< profiled, or corrected by --step-time
  bool corrected = false;
  Nanos gpu_busy_per_step_ns = 0;
  Nanos launch_count_per_step = 0;
  std::vector<std::pair<Bucket, Nanos>> step_buckets_ns;  ///< corrected account of one step; sums to step_ns

  double classified_fraction = 0;
  double modelled_fraction = 0;
  std::vector<PlanOperator> operators;  ///< by time
  Message headline;
  std::vector<Message> summary;  ///< one or two sentences under the headline
  std::vector<Action> actions;   ///< in the order to do them
  std::vector<Declined> declined;
  std::vector<LadderStep> ladder;  ///< starts with "now"
  std::vector<Message> doubts;
  std::vector<Bound> event_bounds;  ///< per row of the trace's GPU events
  std::string policy_preset;  ///< "tree" (CUDA above 20 %) or "last_resort" (above 10 % when Triton can't)
};

}  // namespace pagoda
