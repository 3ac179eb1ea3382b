#include "advice/replay.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace pagoda {
namespace {

/// A queued kernel starts within this after its predecessor: later starts had another reason.
constexpr Nanos kQueuedStartNs = 5'000;
/// From the end of a launch call to the start on an idle device, where the profile shows less or nothing.
constexpr Nanos kLargestLatencyNs = 10'000;

struct Issue {
  Nanos call_begin_ns;
  Nanos call_end_ns;
  std::uint32_t event;
};

/// Host time in calls that wait for the GPU, in time order and apart from one another.
class Waits {
 public:
  explicit Waits(const Trace& trace) {
    for (const Launch& call : trace.launches) {
      const bool waits = call.kind == RuntimeCallKind::synchronize;
      if (waits && call.duration_ns > 0) set_.push_back({call.start_ns, call.end_ns()});
    }
    set_ = union_of(std::move(set_));
  }
  /// The waits inside [from, to).
  std::pair<std::size_t, std::size_t> between(Nanos from, Nanos to) const {
    const auto first = std::lower_bound(set_.begin(), set_.end(), from,
                                        [](const Interval& wait, Nanos at) { return wait.start_ns < at; });
    auto last = first;
    while (last != set_.end() && last->end_ns <= to) ++last;
    return {static_cast<std::size_t>(first - set_.begin()), static_cast<std::size_t>(last - set_.begin())};
  }
  const Interval& operator[](std::size_t i) const { return set_[i]; }

 private:
  IntervalSet set_;
};

/// When each host event began that the profiler recorded.
std::vector<Nanos> records_of(const Trace& trace) {
  std::vector<Nanos> starts;
  starts.reserve(trace.scopes.size() + trace.launches.size());
  for (const HostScope& scope : trace.scopes) starts.push_back(scope.start_ns);
  for (const Launch& call : trace.launches) starts.push_back(call.start_ns);
  std::sort(starts.begin(), starts.end());
  return starts;
}

std::uint32_t count_between(const std::vector<Nanos>& starts, Nanos from, Nanos to) {
  const auto first = std::lower_bound(starts.begin(), starts.end(), from);
  return static_cast<std::uint32_t>(std::lower_bound(first, starts.end(), to) - first);
}

std::vector<Issue> issues_of(const Trace& trace, std::uint32_t device, Interval window,
                             std::size_t most_events) {
  std::vector<Issue> issues;
  for (std::uint32_t row = 0; row < trace.gpu_events.size() && issues.size() < most_events; ++row) {
    const GpuEvent& event = trace.gpu_events[row];
    if (event.device != device || event.start_ns < window.start_ns || event.start_ns >= window.end_ns)
      continue;
    if (event.launch == kNone) {
      // Launched before the capture: the device had it when the window began.
      issues.push_back({window.start_ns, window.start_ns, row});
      continue;
    }
    const Launch& call = trace.launches[event.launch];
    issues.push_back({call.start_ns, call.end_ns(), row});
  }
  std::stable_sort(issues.begin(), issues.end(), [&](const Issue& a, const Issue& b) {
    return std::tuple(a.call_begin_ns, trace.gpu_events[a.event].start_ns, a.event) <
           std::tuple(b.call_begin_ns, trace.gpu_events[b.event].start_ns, b.event);
  });
  return issues;
}

}  // namespace

Replay::Replay(const Trace& trace, std::uint32_t device, Interval window, std::size_t most_events) {
  const std::vector<Issue> issues = issues_of(trace, device, window, most_events);
  if (issues.empty()) return;
  const Waits waits(trace);
  const std::vector<Nanos> records = records_of(trace);
  step_of_.assign(trace.gpu_events.size(), kNone);
  std::map<std::uint32_t, std::uint32_t> streams;
  std::map<std::uint32_t, std::uint32_t> first_of_launch;
  std::vector<Nanos> stream_end_ns;
  std::vector<std::uint32_t> stream_last;
  Nanos host_ns = issues.front().call_begin_ns;
  Nanos gpu_end_ns = 0;  // of everything issued so far
  Nanos first_ns = trace.gpu_events[issues.front().event].start_ns;
  Nanos last_ns = first_ns;
  bool any = false;

  for (const Issue& issue : issues) {
    const GpuEvent& event = trace.gpu_events[issue.event];
    const auto number = static_cast<std::uint32_t>(steps_.size());
    const auto stream =
        streams.emplace(event.stream, static_cast<std::uint32_t>(streams.size())).first->second;
    if (stream == stream_end_ns.size()) {
      stream_end_ns.push_back(0);
      stream_last.push_back(kNone);
    }
    Step step;
    step.event = issue.event;
    step.stream = stream;
    step.duration_ns = event.duration_ns;
    if (event.launch != kNone) {
      const auto [same, first] = first_of_launch.emplace(event.launch, number);
      if (!first) step.same_launch = same->second;
    }
    if (step.same_launch == kNone) {
      const Nanos until_ns = std::max(issue.call_end_ns, host_ns);
      Nanos waited_ns = 0;
      const auto [from, to] = waits.between(host_ns, issue.call_begin_ns);
      for (std::size_t i = from; i < to; ++i) {
        // It waited for the GPU only as long as the GPU worked: the rest is the call's own time.
        const Nanos waited_until_ns = std::clamp(gpu_end_ns, waits[i].start_ns, waits[i].end_ns);
        if (!any || waited_until_ns == waits[i].start_ns) continue;
        waited_ns += waited_until_ns - waits[i].start_ns;
        step.host_waits_before = true;
      }
      step.host_ns = until_ns - host_ns - waited_ns;
      step.records = count_between(records, host_ns, until_ns);
      host_ns = until_ns;
      const Nanos free_ns = std::max(stream_end_ns[stream], any ? stream_end_ns[stream] : 0);
      const bool was_free = stream_last[stream] == kNone || free_ns <= issue.call_begin_ns;
      step.latency_ns = was_free ? std::clamp<Nanos>(event.start_ns - issue.call_end_ns, -event.duration_ns,
                                                     kLargestLatencyNs)
                                 : 0;
      step.latency_ns = std::max<Nanos>(step.latency_ns, -(issue.call_end_ns - issue.call_begin_ns));
    }
    if (stream_last[stream] != kNone) {
      const Nanos after_ns = event.start_ns - stream_end_ns[stream];
      step.gap_ns = std::clamp<Nanos>(after_ns, -event.duration_ns, kQueuedStartNs);
    }
    // Started late although the call was long over and the stream was free: it waited for another stream.
    const Nanos ready_ns = std::max(issue.call_end_ns, stream_end_ns[stream]);
    if (streams.size() > 1 && event.start_ns > ready_ns + kQueuedStartNs) {
      Nanos best_ns = 0;
      for (std::uint32_t other = 0; other < stream_last.size(); ++other) {
        if (other == stream || stream_last[other] == kNone) continue;
        const Nanos ended_ns = stream_end_ns[other];
        if (ended_ns <= event.start_ns && event.start_ns - ended_ns <= kQueuedStartNs && ended_ns > best_ns) {
          best_ns = ended_ns;
          step.waits_for = stream_last[other];
        }
      }
    }
    step_of_[issue.event] = number;
    stream_end_ns[stream] = std::max(stream_end_ns[stream], event.end_ns());
    stream_last[stream] = number;
    gpu_end_ns = std::max(gpu_end_ns, event.end_ns());
    first_ns = std::min(first_ns, event.start_ns);
    last_ns = std::max(last_ns, event.end_ns());
    any = true;
    steps_.push_back(step);
  }
  streams_ = static_cast<std::uint32_t>(streams.size());
  profiled_ns_ = last_ns - first_ns;
}

std::uint32_t Replay::step_of(std::uint32_t event) const {
  return event < step_of_.size() ? step_of_[event] : kNone;
}

Nanos Replay::play(const Change& change) const {
  if (steps_.empty()) return 0;
  std::vector<Nanos> stream_end_ns(streams_, 0);
  std::vector<bool> stream_used(streams_, false);
  std::vector<Nanos> end_ns(steps_.size(), 0);
  std::vector<Nanos> reached_ns(steps_.size(), 0);  // when the call of a step has reached the device
  double host = 0;
  Nanos all_end_ns = 0;
  Nanos first_ns = 0;
  bool any = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const Nanos duration_ns = change.duration_ns.empty() ? step.duration_ns : change.duration_ns[i];
    if (step.same_launch == kNone) {
      // Inside a graph nothing waits for the host, but the host still fetches what the next graph works on.
      const bool waits = step.host_waits_before && !change.no_waits && !change.graph;
      if (waits) host = std::max(host, static_cast<double>(all_end_ns));
      host += host_ns(step, change, i);
      reached_ns[i] = static_cast<Nanos>(host) + (change.graph ? 0 : step.latency_ns);
    } else {
      reached_ns[i] = reached_ns[step.same_launch];
    }
    if (duration_ns == kRemoved) {
      end_ns[i] = stream_end_ns[step.stream];
      continue;
    }
    Nanos start_ns = reached_ns[i];
    if (stream_used[step.stream]) {
      const Nanos gap_ns = change.graph ? change.graph_gap_ns : step.gap_ns;
      // A gap of the profile was a wait for the call, or the device's own: only the latter stays.
      start_ns = std::max(start_ns, stream_end_ns[step.stream] + std::min(gap_ns, Nanos{1'500}));
    }
    if (step.waits_for != kNone) start_ns = std::max(start_ns, end_ns[step.waits_for]);
    if (!any) first_ns = start_ns;
    any = true;
    first_ns = std::min(first_ns, start_ns);
    end_ns[i] = start_ns + duration_ns;
    stream_end_ns[step.stream] = std::max(stream_end_ns[step.stream], end_ns[i]);
    stream_used[step.stream] = true;
    all_end_ns = std::max(all_end_ns, end_ns[i]);
  }
  return any ? all_end_ns - first_ns : 0;
}

Nanos Replay::busy_ns(const Change& change) const {
  Change packed = change;
  packed.graph = true;
  packed.graph_gap_ns = 0;
  packed.elsewhere_fraction = 0;
  return play(packed);
}

/// A profiled event takes its own time and the profiler's; a fifth of it is left whatever the overhead,
/// because nothing is free.
double Replay::host_ns(const Step& step, const Change& change, std::size_t i) {
  const double extra_ns = change.host_extra_ns.empty() ? 0 : change.host_extra_ns[i];
  if (extra_ns == kHostGone) return 0;
  const auto profiled_ns = static_cast<double>(step.host_ns);
  const double true_ns = std::max(profiled_ns - change.record_ns * step.records, profiled_ns / 5);
  const double elsewhere_ns = std::max(true_ns - static_cast<double>(kElsewhereNs), 0.0);
  const double launching_ns = change.graph ? 0 : true_ns - elsewhere_ns + extra_ns;
  return launching_ns + elsewhere_ns * change.elsewhere_fraction;
}

double Replay::fit_record_ns(Nanos target_ns) const {
  Change change;
  if (play(change) <= target_ns) return 0;
  double low = 0;
  double high = 100'000;
  for (int i = 0; i < 40; ++i) {
    change.record_ns = (low + high) / 2;
    (play(change) > target_ns ? low : high) = change.record_ns;
  }
  return (low + high) / 2;
}

}  // namespace pagoda
