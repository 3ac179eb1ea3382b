#include "analysis/window.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"

namespace pagoda {
namespace {

constexpr std::string_view kAnnotationPrefix = "annotation:";

// "ProfilerStep#12" and "ProfilerStep#13" are one annotation.
std::string_view without_number(std::string_view name) {
  const std::size_t hash = name.rfind('#');
  if (hash == std::string_view::npos || hash + 1 == name.size()) return name;
  const bool digits = std::all_of(name.begin() + static_cast<std::ptrdiff_t>(hash) + 1, name.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  return digits ? name.substr(0, hash) : name;
}

bool inside_annotation(const Trace& trace, std::uint32_t scope) {
  for (scope = trace.scopes[scope].parent; scope != kNone; scope = trace.scopes[scope].parent) {
    if (trace.scopes[scope].kind == ScopeKind::annotation) return true;
  }
  return false;
}

std::vector<Interval> device_hulls(const Trace& trace) {
  std::vector<Interval> hulls(trace.devices.size(), {0, 0});
  std::vector<bool> seen(trace.devices.size(), false);
  for (const GpuEvent& event : trace.gpu_events) {
    Interval& hull = hulls[event.device];
    if (!seen[event.device]) hull = {event.start_ns, event.end_ns()};
    seen[event.device] = true;
    hull = {std::min(hull.start_ns, event.start_ns), std::max(hull.end_ns, event.end_ns())};
  }
  return hulls;
}

/// For each device, one hull per host interval: first start to last end of the events launched in it.
std::vector<std::vector<Interval>> project(const Trace& trace, const std::vector<Interval>& host) {
  std::vector<std::vector<Interval>> hulls(trace.devices.size(), std::vector<Interval>(host.size(), {0, 0}));
  std::vector<std::vector<bool>> seen(trace.devices.size(), std::vector<bool>(host.size(), false));
  for (const GpuEvent& event : trace.gpu_events) {
    if (event.launch == kNone) continue;
    const Nanos at_ns = trace.launches[event.launch].start_ns;
    auto next = std::upper_bound(host.begin(), host.end(), at_ns,
                                 [](Nanos at, const Interval& interval) { return at < interval.start_ns; });
    if (next == host.begin() || (--next)->end_ns <= at_ns) continue;
    const auto i = static_cast<std::size_t>(next - host.begin());
    Interval& hull = hulls[event.device][i];
    if (!seen[event.device][i]) hull = {event.start_ns, event.end_ns()};
    seen[event.device][i] = true;
    hull = {std::min(hull.start_ns, event.start_ns), std::max(hull.end_ns, event.end_ns())};
  }
  return hulls;
}

/// In time order, none inside another; occurrences that touch stay two, because they are counted.
std::vector<Interval> one_by_one(std::vector<Interval> host) {
  std::sort(host.begin(), host.end(), [](const Interval& a, const Interval& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::vector<Interval> kept;
  for (const Interval& interval : host) {
    if (interval.length_ns() <= 0) continue;
    if (!kept.empty() && interval.start_ns < kept.back().end_ns) {
      kept.back().end_ns = std::max(kept.back().end_ns, interval.end_ns);
    } else {
      kept.push_back(interval);
    }
  }
  return kept;
}

std::vector<Interval> occurrences(const Trace& trace, std::string_view name) {
  std::vector<Interval> host;
  for (const HostScope& scope : trace.scopes) {
    if (scope.kind != ScopeKind::annotation) continue;
    const std::string_view text = trace.text(scope.name);
    if (text == name || without_number(text) == name) host.push_back({scope.start_ns, scope.end_ns()});
  }
  return one_by_one(std::move(host));
}

Error no_such_annotation(const Trace& trace, const std::string& name) {
  std::set<std::string_view> names;
  for (const HostScope& scope : trace.scopes) {
    if (scope.kind == ScopeKind::annotation) names.insert(without_number(trace.text(scope.name)));
  }
  std::string hint =
      names.empty() ? "the profile has no annotations: use --window all" : "annotations in it:";
  std::size_t shown = 0;
  for (std::string_view known : names) {
    if (++shown > 8) break;
    hint += (shown == 1 ? " " : ", ") + std::string(known.substr(0, 60));
  }
  if (names.size() > 8) hint += " and " + std::to_string(names.size() - 8) + " more";
  return Error("no annotation named '" + name + "'", {trace.path, {}}, hint);
}

}  // namespace

WindowChoice WindowChoice::parse(std::string_view text) {
  if (text == "all") return {Kind::all, {}};
  if (text == "step") return {Kind::step, {}};
  if (text.starts_with(kAnnotationPrefix) && text.size() > kAnnotationPrefix.size()) {
    return {Kind::annotation, std::string(text.substr(kAnnotationPrefix.size()))};
  }
  throw Error("'" + std::string(text) + "' is no window", {"--window", {}},
              "use all, step or annotation:NAME");
}

std::string WindowChoice::label() const {
  if (kind == Kind::all) return "all";
  if (kind == Kind::step) return "step";
  return std::string(kAnnotationPrefix) + annotation;
}

Steps find_steps(const Trace& trace) {
  struct Candidate {
    std::vector<Interval> host;
    Nanos total_ns = 0;
  };
  std::map<std::string_view, Candidate> candidates;
  for (std::uint32_t row = 0; row < trace.scopes.size(); ++row) {
    const HostScope& scope = trace.scopes[row];
    if (scope.kind != ScopeKind::annotation) continue;
    const std::string_view name = without_number(trace.text(scope.name));
    if (name != "ProfilerStep" && inside_annotation(trace, row)) continue;
    Candidate& candidate = candidates[name];
    candidate.host.push_back({scope.start_ns, scope.end_ns()});
    candidate.total_ns += scope.duration_ns;
  }
  auto best = candidates.find("ProfilerStep");
  if (best == candidates.end()) {
    best = std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.second.total_ns < b.second.total_ns;
    });
  }
  if (best == candidates.end()) return {};
  return {std::string(best->first), one_by_one(std::move(best->second.host))};
}

std::vector<IntervalSet> device_windows(const Trace& trace, const WindowChoice& choice) {
  std::vector<IntervalSet> windows(trace.devices.size());
  if (choice.kind == WindowChoice::Kind::all) {
    const std::vector<Interval> hulls = device_hulls(trace);
    for (std::size_t device = 0; device < hulls.size(); ++device) windows[device] = union_of({hulls[device]});
    return windows;
  }
  std::vector<Interval> host;
  if (choice.kind == WindowChoice::Kind::step) {
    host = find_steps(trace).host;
    if (host.empty()) {
      throw Error("the profile has no ProfilerStep and no annotation that could be a step", {trace.path, {}},
                  "use --window all, or record steps with torch.profiler.record_function");
    }
    host = {{host.front().start_ns, host.back().end_ns}};
  } else {
    host = occurrences(trace, choice.annotation);
    if (host.empty()) throw no_such_annotation(trace, choice.annotation);
  }
  const auto hulls = project(trace, host);
  for (std::size_t device = 0; device < hulls.size(); ++device) windows[device] = union_of(hulls[device]);
  return windows;
}

}  // namespace pagoda
