#include "analysis/timeline.h"

#include <algorithm>

#include "analysis/event_class.h"

namespace pagoda {
namespace {

Nanos length_inside(const IntervalSet& window, Interval interval) {
  if (window.size() == 1) {
    return std::max<Nanos>(0, std::min(interval.end_ns, window.front().end_ns) -
                                  std::max(interval.start_ns, window.front().start_ns));
  }
  return total_ns(clip(window, interval));
}

void extend(IntervalSet& set, Nanos start_ns, Nanos end_ns) {
  if (end_ns <= start_ns) return;
  if (!set.empty() && start_ns <= set.back().end_ns) {
    set.back().end_ns = std::max(set.back().end_ns, end_ns);
  } else {
    set.push_back({start_ns, end_ns});
  }
}

/// The stretches of the window in which nothing runs, each with the events on its two sides.
std::vector<Gap> find_gaps(std::span<const GpuEvent> events, std::uint32_t first_row,
                           const IntervalSet& window) {
  std::vector<Gap> gaps;
  std::size_t next = 0;
  Nanos busy_until_ns = 0;
  std::uint32_t previous = kNone;
  const auto pass = [&](std::size_t row) {
    if (previous == kNone || events[row].end_ns() > busy_until_ns) {
      busy_until_ns = events[row].end_ns();
      previous = first_row + static_cast<std::uint32_t>(row);
    }
  };
  for (const Interval& piece : window) {
    Nanos now_ns = piece.start_ns;
    while (now_ns < piece.end_ns) {
      while (next < events.size() && events[next].start_ns <= now_ns) pass(next++);
      if (previous != kNone && busy_until_ns > now_ns) {
        now_ns = busy_until_ns;
        continue;
      }
      // Events of no length do not end a gap; they are passed over like any other once their time comes.
      std::size_t ends_it = next;
      while (ends_it < events.size() && events[ends_it].duration_ns == 0) ++ends_it;
      const bool inside = ends_it < events.size() && events[ends_it].start_ns < piece.end_ns;
      const Nanos end_ns = inside ? events[ends_it].start_ns : piece.end_ns;
      gaps.push_back({{now_ns, end_ns},
                      ends_it < events.size() ? first_row + static_cast<std::uint32_t>(ends_it) : kNone,
                      previous});
      now_ns = end_ns;
    }
  }
  return gaps;
}

}  // namespace

Timeline lay_out(const Trace&, std::span<const GpuEvent> events, std::uint32_t first_row, IntervalSet window,
                 std::span<const Bound> bounds, EventClassifier& classes) {
  Timeline line;
  line.window = std::move(window);
  Nanos computed_until_ns = events.empty() ? 0 : events.front().start_ns;
  for (std::size_t row = 0; row < events.size(); ++row) {
    const GpuEvent& event = events[row];
    const EventClass kind = classes.of(event);
    if (kind == EventClass::communication) {
      extend(line.communication, event.start_ns, event.end_ns());
    } else if (kind != EventClass::compute) {
      extend(line.copies, event.start_ns, event.end_ns());
    } else {
      // Of the kernels that run at an instant the one that started first owns it. All earlier ones are over
      // by computed_until_ns, so this one owns exactly what lies beyond.
      const Nanos owned_from_ns = std::max(event.start_ns, computed_until_ns);
      if (event.end_ns() > owned_from_ns) {
        const Bound bound = bounds.empty() ? Bound::unknown : bounds[first_row + row];
        line.compute_by_bound_ns[static_cast<std::size_t>(bound)] +=
            length_inside(line.window, {owned_from_ns, event.end_ns()});
        computed_until_ns = event.end_ns();
      }
      extend(line.compute, event.start_ns, event.end_ns());
    }
  }
  line.compute = intersection_of(line.compute, line.window);
  line.communication = intersection_of(line.communication, line.window);
  line.copies = intersection_of(line.copies, line.window);
  line.gaps = find_gaps(events, first_row, line.window);
  return line;
}

}  // namespace pagoda
