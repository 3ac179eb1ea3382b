#include "analysis/idle.h"

#include <algorithm>
#include <map>
#include <string>

namespace pagoda {
namespace {

class Splitter {
 public:
  Splitter(const Trace& trace, const std::vector<Attribution>& attributions, const HostActivity& host)
      : trace_(trace), attributions_(attributions), host_(host) {}

  void split(const Gap& gap) {
    ++gap_;
    if (gap.next_event == kNone) return give(Bucket::idle_unknown, gap.when.length_ns(), "end of the window");
    const GpuEvent& next = trace_.gpu_events[gap.next_event];
    if (next.launch == kNone)
      return give(Bucket::idle_unknown, gap.when.length_ns(), "the next kernel has no launch event");
    const Launch& launch = trace_.launches[next.launch];
    if (launch.kind == RuntimeCallKind::graph_launch && gap.previous_event != kNone &&
        trace_.gpu_events[gap.previous_event].launch == next.launch) {
      result_.inside_graph_ns += gap.when.length_ns();
      return give(Bucket::idle_unknown, gap.when.length_ns(), "between kernels of one graph launch");
    }
    if (launch.end_ns() <= gap.when.start_ns) return split_queued(gap);
    const Nanos call_ns = std::clamp(launch.start_ns, gap.when.start_ns, gap.when.end_ns);
    before_the_call(launch, {gap.when.start_ns, call_ns}, gap.next_event);
    give(Bucket::idle_launch, gap.when.end_ns - call_ns, launch_of(gap.next_event));
  }

  IdleSplit take() {
    for (const auto& [key, entry] : causes_) {
      result_.causes.push_back({key.first, key.second, entry.time_ns, entry.gaps});
    }
    return std::move(result_);
  }

 private:
  void split_queued(const Gap& gap) {
    if (gap.when.length_ns() <= kQueuedStartNs) {
      give(Bucket::idle_launch, gap.when.length_ns(), "start of an already queued kernel");
    } else {
      give(Bucket::idle_unknown, gap.when.length_ns(), "the next kernel was queued but waited");
    }
  }

  // From the moment the device went idle to the moment the launch call began, on the thread that made the
  // call.
  void before_the_call(const Launch& launch, Interval when, std::uint32_t next_event) {
    if (when.length_ns() <= 0) return;
    const IntervalSet waiting = clip(host_.waiting(launch.thread), when);
    for (const Interval& wait : waiting) {
      give(Bucket::idle_sync, wait.length_ns(), host_.waiting_name(launch.thread, wait.start_ns));
    }
    IntervalSet rest = difference_of({when}, waiting);
    const IntervalSet loading = intersection_of(rest, clip(host_.loading(launch.thread), when));
    give(Bucket::idle_host, total_ns(loading), "data loading");
    rest = difference_of(rest, loading);
    const IntervalSet elsewhere = difference_of(rest, clip(host_.working(launch.thread), when));
    for (const Interval& stretch : elsewhere) {
      if (stretch.length_ns() <= kHostElsewhereNs) continue;
      give(Bucket::idle_host, stretch.length_ns(), "host elsewhere before " + op_of(next_event));
      rest = difference_of(rest, {stretch});
    }
    give(Bucket::idle_launch, total_ns(rest), launch_of(next_event));
  }

  std::string op_of(std::uint32_t event) const {
    const std::uint32_t op = attributions_[event].op;
    if (op != kNone) return std::string(trace_.text(trace_.scopes[op].name));
    return std::string(trace_.text(trace_.gpu_events[event].name));
  }

  std::string launch_of(std::uint32_t event) const {
    const Launch& launch = trace_.launches[trace_.gpu_events[event].launch];
    return std::string(trace_.text(launch.name)) + " of " + op_of(event);
  }

  void give(Bucket bucket, Nanos time_ns, const std::string& what) {
    if (time_ns <= 0) return;
    result_.buckets_ns[static_cast<std::size_t>(bucket)] += time_ns;
    Entry& entry = causes_[{bucket, what}];
    entry.time_ns += time_ns;
    if (entry.last_gap != gap_) ++entry.gaps;
    entry.last_gap = gap_;
  }

  struct Entry {
    Nanos time_ns = 0;
    std::int64_t gaps = 0;
    std::int64_t last_gap = -1;
  };

  const Trace& trace_;
  const std::vector<Attribution>& attributions_;
  const HostActivity& host_;
  IdleSplit result_;
  std::map<std::pair<Bucket, std::string>, Entry> causes_;
  std::int64_t gap_ = -1;
};

}  // namespace

IdleSplit split_idle(const Trace& trace, const std::vector<Gap>& gaps,
                     const std::vector<Attribution>& attributions, const HostActivity& host) {
  Splitter splitter(trace, attributions, host);
  for (const Gap& gap : gaps) splitter.split(gap);
  return splitter.take();
}

}  // namespace pagoda
