#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace pagoda {

/// A kernel name in one spelling, whichever demangler printed it: no return type, parameters or blanks, no
/// casts
/// ("(int)5" is 5, "(bool)1" and "true" are 1), anonymous namespaces alike.
std::string normal_kernel_name(std::string_view name);

/// The function alone: "vectorized_elementwise_kernel" of "void at::native::vectorized_elementwise_kernel<4,
/// ...>(...)". Nsight Compute prints this by default (--print-kernel-base function).
std::string short_kernel_name(std::string_view name);

/// Joins the counters of a report to the kernels of a trace of the same workload: for each row of
/// `trace.gpu_events` the row of `counters.counters`, or kNone. Rows agree in name and, where both sides tell
/// it, in grid and block. Among equals the n-th launch takes the n-th row, but only when there are as many of
/// one as of the other; a row that sums over all launches of a kernel (per-kernel summary) goes to all of
/// them. Anything else stays unmatched and is counted in `trace.diagnostics`: "counters_without_kernel",
/// "ambiguous_counters". Linked traces only; O(n log n).
std::vector<std::uint32_t> join_counters(Trace& trace, const Trace& counters);

}  // namespace pagoda
