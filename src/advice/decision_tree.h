#pragma once
#include <vector>

#include "advice/candidates.h"

namespace pagoda {

/// Where the tree ends for a candidate, and the branches that led there with their numbers.
struct Verdict {
  bool act = false;
  Tier tier = Tier::pytorch;
  std::vector<PathStep> path;
  std::optional<Message> declined;  ///< why not, when it ends in "keep"
};

/// What each tier would make of the candidate, after everything chosen before it.
struct TierOutlook {
  Nanos step_now_ns = 0;
  std::vector<TierEstimate> tiers;  ///< in the order pytorch, triton, cuda, existing; only those that exist

  const TierEstimate* find(Tier tier) const;
};

/// Walks policy.toml's tree.
Verdict decide(const Candidate& candidate, const TierOutlook& outlook, const Workload& workload,
               const Policy& policy, const Project& project);

}  // namespace pagoda
