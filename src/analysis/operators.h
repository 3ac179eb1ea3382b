#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account.h"
#include "analysis/attribution.h"
#include "trace/trace.h"

namespace pagoda {

/// GPU time by operator, shapes, phase and kind of attribution, over the rows that `selected` marks.
/// Unsorted.
std::vector<OperatorRow> tabulate_operators(const Trace& trace, const std::vector<Attribution>& attributions,
                                            std::span<const Bound> bounds, const std::vector<bool>& selected);

/// Kernels replayed by graph launches, one row per distinct sequence of kernels.
std::vector<GraphRow> tabulate_graphs(const Trace& trace, const std::vector<bool>& selected);

/// "[[1,4096],[4096,11008],[]]" -> "[1,4096] [4096,11008]": arguments that are no tensors are left out.
std::string readable_shapes(std::string_view dims_json);
/// Data types of the tensor arguments: "bfloat16 bfloat16".
std::string readable_dtypes(std::string_view types_json, std::string_view dims_json);
/// "c10::BFloat16" -> "bfloat16", "long int" -> "int64"; what is not known stays as it is.
std::string_view dtype_name(std::string_view recorded);

/// Sums rows that read the same (name, shapes, dtypes, phase, how); fields that disagree become kMixed.
void merge_operators(std::vector<OperatorRow>& rows);

/// By time, longest first; then by every other field, so that equal times keep one order.
void sort_operators(std::vector<OperatorRow>& rows);
void sort_graphs(std::vector<GraphRow>& rows);

}  // namespace pagoda
