#pragma once
#include <vector>

#include "analysis/account.h"
#include "analysis/attribution.h"
#include "analysis/host_activity.h"
#include "analysis/timeline.h"

namespace pagoda {

/// A stretch in which the launching thread makes no call and runs no op for longer than this is the host
/// being elsewhere; anything shorter is the interpreter between two launches.
inline constexpr Nanos kHostElsewhereNs = 500'000;
/// A kernel that was already queued when the device went idle starts within this; longer, it waited for
/// something that the profile does not show (another stream, another device).
inline constexpr Nanos kQueuedStartNs = 10'000;

struct IdleSplit {
  std::array<Nanos, kBucketCount> buckets_ns{};  ///< only the idle buckets are used; they sum to the gaps
  std::vector<IdleCause> causes;                 ///< by bucket and what; unsorted
  Nanos inside_graph_ns = 0;                     ///< gaps between kernels of one graph launch
};

/// Splits every gap by what the thread that launched the next event was doing (docs/accounting.md has the
/// rule).
IdleSplit split_idle(const Trace& trace, const std::vector<Gap>& gaps,
                     const std::vector<Attribution>& attributions, const HostActivity& host);

}  // namespace pagoda
