#include "analysis/analyze.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/collectives.h"
#include "analysis/event_class.h"
#include "analysis/host_activity.h"
#include "analysis/idle.h"
#include "analysis/operators.h"
#include "analysis/timeline.h"

namespace pagoda {
namespace {

bool contains(const IntervalSet& window, Nanos at_ns) {
  const auto after = std::upper_bound(window.begin(), window.end(), at_ns,
                                      [](Nanos at, const Interval& piece) { return at < piece.start_ns; });
  return after != window.begin() && at_ns < std::prev(after)->end_ns;
}

// An event of no length at the very end of the window belongs to it: it is part of what made the window.
bool belongs(const IntervalSet& window, const GpuEvent& event) {
  return contains(window, event.start_ns) ||
         (event.duration_ns == 0 && !window.empty() && event.start_ns == window.back().end_ns);
}

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::vector<Range> rows_by_device(const Trace& trace) {
  std::vector<Range> ranges(trace.devices.size());
  for (std::uint32_t row = 0; row < trace.gpu_events.size(); ++row) {
    Range& range = ranges[trace.gpu_events[row].device];
    if (range.last == 0) range.first = row;
    range.last = row + 1;
  }
  return ranges;
}

std::int64_t& of_kind(CountsByKind& counts, EventClass kind) {
  switch (kind) {
    case EventClass::compute: return counts.compute;
    case EventClass::communication: return counts.communication;
    case EventClass::memcpy: return counts.memcpy;
    default: return counts.memset;
  }
}

std::vector<StreamAccount> account_streams(const std::vector<const GpuEvent*>& events) {
  std::map<std::uint32_t, StreamAccount> streams;
  std::map<std::uint32_t, Nanos> busy_until;
  for (const GpuEvent* event : events) {
    StreamAccount& stream = streams[event->stream];
    stream.stream = event->stream;
    const bool first = stream.events++ == 0;
    Nanos& until_ns = busy_until[event->stream];
    if (!first && event->start_ns < until_ns) {
      ++stream.overlaps;
      stream.worst_overlap_ns = std::max(stream.worst_overlap_ns, until_ns - event->start_ns);
    }
    const Nanos from_ns = first ? event->start_ns : std::max(event->start_ns, until_ns);
    stream.busy_ns += std::max<Nanos>(0, event->end_ns() - from_ns);
    until_ns = first ? event->end_ns() : std::max(until_ns, event->end_ns());
  }
  std::vector<StreamAccount> rows;
  for (const auto& [id, stream] : streams) rows.push_back(stream);
  return rows;
}

class Accountant {
 public:
  Accountant(const Trace& trace, const std::vector<Attribution>& attributions, const AnalysisOptions& options,
             std::span<const Bound> bounds)
      : trace_(trace),
        attributions_(attributions),
        options_(options),
        bounds_(bounds),
        classes_(trace),
        host_(trace),
        selected_(trace.gpu_events.size(), false) {}

  TraceAccount run() {
    describe_file();
    const std::vector<IntervalSet> windows = device_windows(trace_, options_.window);
    const std::vector<Range> ranges = rows_by_device(trace_);
    bool any = false;
    for (std::size_t device = 0; device < trace_.devices.size(); ++device) {
      if (ranges[device].last == 0 ||
          (windows[device].empty() && options_.window.kind != WindowChoice::Kind::all))
        continue;
      any = true;
      account_device(device, ranges[device], windows[device]);
    }
    if (!any && options_.window.kind != WindowChoice::Kind::all && !trace_.gpu_events.empty()) {
      result_.warnings.push_back("no GPU work was launched inside " + options_.window.label());
    }
    result_.operators = tabulate_operators(trace_, attributions_, bounds_, selected_);
    result_.graphs = tabulate_graphs(trace_, selected_);
    result_.collectives = list_collectives(trace_, selected_, rank());
    look_for_lost_kernels();
    for (const KernelCounters& counters : trace_.counters) {
      result_.counters.push_back(counters);
      result_.counter_names.emplace_back(trace_.text(counters.name));
    }
    return std::move(result_);
  }

 private:
  std::int64_t rank() const { return trace_.rank.value_or(0); }

  void describe_file() {
    FileSummary& file = result_.file;
    file.path = trace_.path;
    file.format = trace_.format;
    file.content_bytes = trace_.content_bytes;
    file.events = trace_.event_count;
    file.truncated = trace_.truncated;
    file.rank = trace_.rank;
    file.world_size = trace_.world_size;
    file.other_categories = trace_.other_categories;
    result_.diagnostics = trace_.diagnostics;
    result_.steps = static_cast<std::int64_t>(find_steps(trace_).host.size());
    bool first = true;
    for (const GpuEvent& event : trace_.gpu_events) {
      result_.first_ns = first ? event.start_ns : std::min(result_.first_ns, event.start_ns);
      result_.last_ns = first ? event.end_ns() : std::max(result_.last_ns, event.end_ns());
      first = false;
    }
  }

  void account_device(std::size_t device_row, Range range, const IntervalSet& window) {
    DeviceAccount account;
    const Device& device = trace_.devices[device_row];
    account.rank = rank();
    account.device = device.id;
    account.name = device.name;
    account.file = trace_.path;
    account.window_label = options_.window.label();
    account.peak_allocated_bytes = device.peak_allocated_bytes;
    account.peak_reserved_bytes = device.peak_reserved_bytes;
    const std::span events(trace_.gpu_events.data() + range.first, range.last - range.first);
    account.start_ns = window.empty() ? events.front().start_ns : window.front().start_ns;
    account.window_ns = total_ns(window);

    std::vector<const GpuEvent*> inside;
    for (std::uint32_t row = range.first; row < range.last; ++row) {
      const GpuEvent& event = trace_.gpu_events[row];
      if (!belongs(window, event) && !(window.empty() && event.duration_ns == 0)) continue;
      selected_[row] = true;
      inside.push_back(&event);
      count(event, attributions_[row], account);
    }
    account.streams = account_streams(inside);

    const Timeline line = lay_out(trace_, events, range.first, window, bounds_, classes_);
    fill_unions(line, account);
    fill_idle(line, account);
    result_.devices.push_back(std::move(account));
  }

  void count(const GpuEvent& event, const Attribution& where, DeviceAccount& account) {
    const EventClass kind = classes_.of(event);
    ++of_kind(account.counts, kind);
    of_kind(account.kernel_sum_ns, kind) += event.duration_ns;
    if (where.how == Attributed::none || where.how == Attributed::before_capture) {
      account.without_launch_ns += event.duration_ns;
      ++account.without_launch_count;
    }
    if (where.how == Attributed::before_capture) {
      account.launched_before_capture_ns += event.duration_ns;
      ++account.launched_before_capture_count;
    }
    if (where.how == Attributed::graph) {
      account.graph_ns += event.duration_ns;
      ++account.graph_count;
    } else if (where.op == kNone) {
      account.unattributed_ns += event.duration_ns;
    }
  }

  static void fill_unions(const Timeline& line, DeviceAccount& account) {
    const IntervalSet kernels = union_of(line.compute, line.communication);
    account.compute_ns = total_ns(line.compute);
    account.communication_ns = total_ns(line.communication);
    account.exposed_communication_ns = total_ns(difference_of(line.communication, line.compute));
    account.overlapped_communication_ns = account.communication_ns - account.exposed_communication_ns;
    account.exposed_copy_ns = total_ns(difference_of(line.copies, kernels));
    account.busy_ns = total_ns(union_of(kernels, line.copies));
    account.idle_ns = account.window_ns - account.busy_ns;
    auto& buckets = account.buckets_ns;
    const auto at = [&](Bucket bucket) -> Nanos& { return buckets[static_cast<std::size_t>(bucket)]; };
    const auto of_bound = [&](Bound bound) {
      return line.compute_by_bound_ns[static_cast<std::size_t>(bound)];
    };
    at(Bucket::compute_bound) = of_bound(Bound::compute);
    at(Bucket::memory_bound) = of_bound(Bound::memory);
    at(Bucket::latency_bound) = of_bound(Bound::latency);
    at(Bucket::unclassified) = of_bound(Bound::unknown) + of_bound(Bound::communication);
    at(Bucket::exposed_communication) = account.exposed_communication_ns;
    at(Bucket::exposed_copy) = account.exposed_copy_ns;
  }

  void fill_idle(const Timeline& line, DeviceAccount& account) {
    IdleSplit idle = split_idle(trace_, line.gaps, attributions_, host_);
    for (std::size_t i = kBusyBuckets; i < kBucketCount; ++i) account.buckets_ns[i] = idle.buckets_ns[i];
    account.idle_unreliable = idle.inside_graph_ns > 0;
    std::move(idle.causes.begin(), idle.causes.end(), std::back_inserter(result_.idle_causes));
  }

  // A launch call whose kernel is missing: the profiler dropped it, at the head of a session or at its end.
  void look_for_lost_kernels() {
    std::vector<bool> has_event(trace_.launches.size(), false);
    for (const GpuEvent& event : trace_.gpu_events) {
      if (event.launch != kNone) has_event[event.launch] = true;
    }
    // Several runtime rows can share one correlation id (a driver call inside a runtime call): any of them
    // will do.
    std::set<std::pair<std::uint32_t, std::uint64_t>> answered;
    for (std::size_t row = 0; row < trace_.launches.size(); ++row) {
      if (has_event[row]) answered.insert({trace_.launches[row].process, trace_.launches[row].correlation});
    }
    std::uint64_t lost = 0;
    std::string_view example;
    for (std::size_t row = 0; row < trace_.launches.size(); ++row) {
      const Launch& launch = trace_.launches[row];
      if (launch.kind != RuntimeCallKind::kernel_launch && launch.kind != RuntimeCallKind::graph_launch)
        continue;
      if (launch.correlation == 0 || has_event[row] ||
          answered.contains({launch.process, launch.correlation}))
        continue;
      if (lost++ == 0) example = trace_.text(launch.name);
    }
    if (lost > 0) result_.diagnostics.add("launch_without_kernel", {}, example, lost);
  }

  const Trace& trace_;
  const std::vector<Attribution>& attributions_;
  const AnalysisOptions& options_;
  std::span<const Bound> bounds_;
  EventClassifier classes_;
  HostActivity host_;
  std::vector<bool> selected_;
  TraceAccount result_;
};

}  // namespace

TraceAccount analyze_trace(const Trace& trace, const std::vector<Attribution>& attributions,
                           const AnalysisOptions& options, std::span<const Bound> bounds) {
  return Accountant(trace, attributions, options, bounds).run();
}

TraceAccount analyze_trace(const Trace& trace, const AnalysisOptions& options) {
  return analyze_trace(trace, attribute(trace), options);
}

}  // namespace pagoda
