#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account.h"
#include "analysis/attribution.h"
#include "analysis/window.h"
#include "trace/trace.h"

namespace pagoda {

struct AnalysisOptions {
  WindowChoice window;
};

/// Everything that reports need of one trace; the trace can be dropped after it (docs/decisions/0003).
struct TraceAccount {
  FileSummary file;
  std::vector<DeviceAccount> devices;
  std::vector<OperatorRow> operators;  ///< module, annotation and python hold kMixed where calls disagree
  std::vector<GraphRow> graphs;
  std::vector<CollectiveCall> collectives;  ///< by start
  std::vector<IdleCause> idle_causes;
  std::vector<KernelCounters> counters;    ///< names spelled out in counter_names
  std::vector<std::string> counter_names;  ///< parallel to counters
  Diagnostics diagnostics;
  std::vector<std::string> warnings;
  std::int64_t steps = 0;
  Nanos first_ns =
      0;  ///< extent of the GPU events in the profile's clock, for telling whether ranks share it
  Nanos last_ns = 0;
};

/// Stands for "not the same for all calls" in the module, annotation and python of a TraceAccount's
/// operators.
inline constexpr std::string_view kMixed = "*";

/// `bounds` is parallel to trace.gpu_events and classifies the kernels; empty: all unknown.
/// `attributions` is attribute(trace), passed in so that a caller who needs it too computes it once.
/// Throws Error when the chosen window does not exist in the trace.
TraceAccount analyze_trace(const Trace& trace, const std::vector<Attribution>& attributions,
                           const AnalysisOptions& options = {}, std::span<const Bound> bounds = {});
TraceAccount analyze_trace(const Trace& trace, const AnalysisOptions& options = {});

/// Merges the accounts of all ranks. The result does not depend on the order of `accounts`.
Analysis combine(std::vector<TraceAccount> accounts);

/// Exact round trip, for handing an account to another process. Throws Error for bytes that are no account.
std::string serialize(const TraceAccount& account);
TraceAccount deserialize(std::string_view bytes);

}  // namespace pagoda
