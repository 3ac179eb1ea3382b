#pragma once
#include "analysis/account.h"

namespace pagoda {

/// What the operators' shares are parts of: the durations of all GPU events in the window, over all devices.
inline Nanos operator_total_ns(const Analysis& analysis) {
  Nanos total_ns = 0;
  for (const OperatorRow& row : analysis.operators) total_ns += row.time_ns;
  return total_ns;
}

inline double share_fraction(Nanos part_ns, Nanos whole_ns) {
  return whole_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(whole_ns) : 0;
}

}  // namespace pagoda
