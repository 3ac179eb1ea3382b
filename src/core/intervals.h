#pragma once
#include <vector>

#include "core/units.h"

namespace pagoda {

/// Half-open stretch of time [start_ns, end_ns).
struct Interval {
  Nanos start_ns = 0;
  Nanos end_ns = 0;

  Nanos length_ns() const { return end_ns - start_ns; }
  bool operator==(const Interval&) const = default;
};

/// Disjoint, sorted, non-empty intervals: what `union_of` returns and what the algebra below takes.
using IntervalSet = std::vector<Interval>;

/// Sorts and merges; touching intervals become one, empty and inverted ones vanish.
IntervalSet union_of(std::vector<Interval> intervals);

/// Union, intersection and difference of two sets, each in one linear pass.
IntervalSet union_of(const IntervalSet& a, const IntervalSet& b);
IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b);
IntervalSet difference_of(const IntervalSet& a, const IntervalSet& b);

Nanos total_ns(const IntervalSet& set);

}  // namespace pagoda
