#include "core/intervals.h"

#include <algorithm>
#include <utility>

namespace pagoda {
namespace {

void append_merged(IntervalSet& set, Interval next) {
  if (next.end_ns <= next.start_ns) return;
  if (!set.empty() && next.start_ns <= set.back().end_ns) {
    set.back().end_ns = std::max(set.back().end_ns, next.end_ns);
  } else {
    set.push_back(next);
  }
}

bool starts_before(const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; }

}  // namespace

IntervalSet union_of(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), starts_before);
  IntervalSet merged;
  for (const Interval& next : intervals) append_merged(merged, next);
  return merged;
}

IntervalSet union_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet merged;
  auto ia = a.begin();
  auto ib = b.begin();
  while (ia != a.end() || ib != b.end()) {
    const bool take_a = ib == b.end() || (ia != a.end() && starts_before(*ia, *ib));
    append_merged(merged, take_a ? *ia++ : *ib++);
  }
  return merged;
}

IntervalSet intersection_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet common;
  auto ia = a.begin();
  auto ib = b.begin();
  while (ia != a.end() && ib != b.end()) {
    append_merged(common, {std::max(ia->start_ns, ib->start_ns), std::min(ia->end_ns, ib->end_ns)});
    if (ia->end_ns < ib->end_ns) {
      ++ia;
    } else {
      ++ib;
    }
  }
  return common;
}

IntervalSet difference_of(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet rest;
  auto ib = b.begin();
  for (Interval left : a) {
    while (ib != b.end() && ib->end_ns <= left.start_ns) ++ib;
    for (auto cut = ib; cut != b.end() && cut->start_ns < left.end_ns; ++cut) {
      if (cut->start_ns > left.start_ns) rest.push_back({left.start_ns, cut->start_ns});
      left.start_ns = std::max(left.start_ns, cut->end_ns);
    }
    if (left.start_ns < left.end_ns) rest.push_back(left);
  }
  return rest;
}

Nanos total_ns(const IntervalSet& set) {
  Nanos total = 0;
  for (const Interval& interval : set) total += interval.length_ns();
  return total;
}

}  // namespace pagoda
