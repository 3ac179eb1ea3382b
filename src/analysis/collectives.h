#pragma once
#include <vector>

#include "analysis/account.h"
#include "analysis/attribution.h"
#include "trace/trace.h"

namespace pagoda {

/// Every collective kernel of the trace with what is known of it: from its own NCCL metadata, else from
/// record_param_comms or the nccl:* annotation around its launch, else from the kernel's name.
std::vector<CollectiveCall> list_collectives(const Trace& trace, const std::vector<bool>& selected,
                                             std::int64_t rank);

/// Statistics by collective, message and group. Calls are matched across ranks by group, kind and order;
/// `clocks_agree` says whether their start times can be compared.
std::vector<CollectiveRow> summarise_collectives(const std::vector<CollectiveCall>& calls, bool clocks_agree);

/// How often each rank was the last to arrive at a matched collective: (rank, times last, matched calls,
/// median delay over the others). Empty unless clocks agree and at least two ranks match.
struct Lateness {
  std::int64_t rank = 0;
  std::int64_t times_last = 0;
  std::int64_t matched_calls = 0;
  Nanos median_delay_ns = 0;
};
std::vector<Lateness> lateness_of_ranks(const std::vector<CollectiveCall>& calls);

/// "allreduce", "all_gather_into_tensor_coalesced" and "_allgather_base" to one of allreduce, allgather,
/// reducescatter, alltoall, broadcast, reduce, sendrecv, gather, scatter, barrier; others as they are.
std::string canonical_collective(std::string_view name);

/// Bytes a dtype takes ("BFloat16", "float", "c10::Half"); 0 when unknown.
int dtype_bytes(std::string_view dtype);

/// nccl-tests' conventions: algorithm bytes of one call, and the factor from algorithm to bus bandwidth. -1:
/// unknown.
double algorithm_bytes(const CollectiveCall& call);
double bus_factor(std::string_view canonical_name, std::int64_t group_size);

}  // namespace pagoda
