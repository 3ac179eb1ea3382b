#pragma once
#include <string>
#include <vector>

#include "advice/catalogue.h"
#include "advice/policy.h"
#include "advice/project.h"
#include "advice/workload.h"

namespace pagoda {

/// Something that could be done. What it is worth depends on what is done before it.
struct Candidate {
  std::string id;
  ActionKind kind = ActionKind::fuse;
  std::string operator_name;
  std::vector<const OperatorGroup*> groups;  ///< of the operators it replaces; empty for launches, syncs...
  Nanos time_now_ns = 0;                     ///< per step
  Nanos floor_ns = 0;                        ///< per step; 0 for idle time, which can go whole
  std::int64_t gpu_events_per_step = 0;
  Bound bound = Bound::unknown;
  double bound_fraction = 0;  ///< of its time that has this bound
  float confidence_fraction = 1;
  bool changes_numerics = false;
  std::vector<Implementation> implementations;
  Bucket idle_cause = Bucket::idle_unknown;  ///< for causes of idle time
  std::vector<std::uint32_t> collectives;    ///< GPU events that an overlap hides
  double exposed_fraction = 0;               ///< part of their time that nothing hides now
  std::string efficiency_name;  ///< whose efficiency prices it, where that is not the operator's own
  std::vector<std::uint32_t> removed_events;  ///< GPU events that go while the rest of its operators stays

  bool is_operator() const { return !groups.empty(); }
  const std::string& priced_as() const { return efficiency_name.empty() ? operator_name : efficiency_name; }
};

/// All candidates of a workload, by id. Operators whose floor is unknown have floor_ns -1.
std::vector<Candidate> find_candidates(const Trace& trace, const Explanation& explanation,
                                       const Workload& workload, const Policy& policy,
                                       const Catalogue& catalogue);

/// Adds what the candidate does at a tier to the changes of one quantile.
void apply(const Candidate& candidate, Tier tier, Quantile quantile, const Explanation& explanation,
           const Workload& workload, const Policy& policy, Fixes& fixes);

}  // namespace pagoda
