#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "analysis/analyze.h"
#include "analysis/collectives.h"
#include "analysis/operators.h"

namespace pagoda {
namespace {

/// A rank is called a straggler above these; below, ranks differ by noise.
constexpr double kSlowerFraction = 0.05;
constexpr double kMostlyLastFraction = 0.5;
constexpr std::int64_t kFewestMatchedCalls = 3;

// Ranks of one host, or of hosts with synchronised clocks, record at the same time; others can't be compared.
bool share_a_clock(const std::vector<TraceAccount>& accounts) {
  Nanos latest_start = INT64_MIN, earliest_end = INT64_MAX;
  std::size_t with_events = 0;
  for (const TraceAccount& account : accounts) {
    if (account.devices.empty()) continue;
    ++with_events;
    latest_start = std::max(latest_start, account.first_ns);
    earliest_end = std::min(earliest_end, account.last_ns);
  }
  return with_events > 1 && latest_start < earliest_end;
}

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
  return text;
}

std::vector<Straggler> find_stragglers(const Analysis& analysis, const std::vector<CollectiveCall>& calls,
                                       bool clocks) {
  std::map<std::int64_t, std::string> why;
  std::map<std::int64_t, Nanos> compute;
  for (const DeviceAccount& device : analysis.devices) compute[device.rank] += device.compute_ns;
  if (compute.size() > 1) {
    std::vector<Nanos> sorted;
    for (const auto& [rank, time_ns] : compute) sorted.push_back(time_ns);
    std::sort(sorted.begin(), sorted.end());
    const auto typical = static_cast<double>(sorted[(sorted.size() - 1) / 2]);
    for (const auto& [rank, time_ns] : compute) {
      const double excess = typical > 0 ? static_cast<double>(time_ns) / typical - 1 : 0;
      if (excess > kSlowerFraction)
        why[rank] = "computes " + percent(excess) + " longer than the median rank";
    }
  }
  if (clocks) {
    for (const Lateness& late : lateness_of_ranks(calls)) {
      if (late.matched_calls < kFewestMatchedCalls) continue;
      const double last = static_cast<double>(late.times_last) / static_cast<double>(late.matched_calls);
      if (last <= kMostlyLastFraction) continue;
      std::string& text = why[late.rank];
      text += (text.empty() ? "" : "; ");
      text += "last to arrive at " + std::to_string(late.times_last) + " of " +
              std::to_string(late.matched_calls) + " collectives, " +
              std::to_string(late.median_delay_ns / 1000) + " us after the first (median)";
    }
  }
  std::vector<Straggler> stragglers;
  for (auto& [rank, text] : why) stragglers.push_back({rank, std::move(text)});
  return stragglers;
}

std::vector<IdleCause> merge_causes(std::vector<IdleCause> causes) {
  std::map<std::pair<Bucket, std::string>, IdleCause> merged;
  for (const IdleCause& cause : causes) {
    IdleCause& into = merged[{cause.bucket, cause.what}];
    into.bucket = cause.bucket;
    into.what = cause.what;
    into.time_ns += cause.time_ns;
    into.gaps += cause.gaps;
  }
  std::vector<IdleCause> rows;
  for (auto& [key, cause] : merged) rows.push_back(std::move(cause));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return rows;
}

void merge_graphs(std::vector<GraphRow>& rows) {
  const auto names = [](const GraphRow& row) {
    std::vector<std::pair<std::string, std::int64_t>> list;
    for (const auto& kernel : row.kernels)
      list.emplace_back(kernel.name, kernel.calls / std::max<std::int64_t>(1, row.launches));
    std::sort(list.begin(), list.end());
    return list;
  };
  std::map<std::pair<std::string, std::vector<std::pair<std::string, std::int64_t>>>, GraphRow> merged;
  for (const GraphRow& row : rows) {
    auto [found, is_new] = merged.try_emplace({row.launch_call, names(row)}, row);
    if (is_new) continue;
    GraphRow& into = found->second;
    into.launches += row.launches;
    into.gpu_events += row.gpu_events;
    into.time_ns += row.time_ns;
    for (const auto& kernel : row.kernels) {
      const auto same = std::find_if(into.kernels.begin(), into.kernels.end(),
                                     [&](const auto& known) { return known.name == kernel.name; });
      same->calls += kernel.calls;
      same->time_ns += kernel.time_ns;
    }
  }
  rows.clear();
  for (auto& [key, row] : merged) rows.push_back(std::move(row));
  sort_graphs(rows);
}

void warn_about_ranks(const std::vector<TraceAccount>& accounts, Analysis& analysis) {
  std::set<std::int64_t> ranks;
  std::int64_t world = 0;
  for (const TraceAccount& account : accounts) {
    ranks.insert(account.file.rank.value_or(0));
    world = std::max(world, account.file.world_size.value_or(0));
  }
  if (world > static_cast<std::int64_t>(ranks.size())) {
    analysis.warnings.push_back(std::to_string(ranks.size()) + " of " + std::to_string(world) +
                                " ranks given: what the others do, and who waits for whom, is not known");
  }
}

}  // namespace

Analysis combine(std::vector<TraceAccount> accounts) {
  std::sort(accounts.begin(), accounts.end(), [](const TraceAccount& a, const TraceAccount& b) {
    return std::tuple(a.file.rank.value_or(0), a.file.path) <
           std::tuple(b.file.rank.value_or(0), b.file.path);
  });
  Analysis analysis;
  std::vector<CollectiveCall> calls;
  std::vector<IdleCause> causes;
  warn_about_ranks(accounts, analysis);
  const bool clocks_agree = share_a_clock(accounts);
  for (TraceAccount& account : accounts) {
    const auto take = [](auto& from, auto& into) {
      std::move(from.begin(), from.end(), std::back_inserter(into));
    };
    analysis.files.push_back(std::move(account.file));
    take(account.devices, analysis.devices);
    take(account.operators, analysis.operators);
    take(account.graphs, analysis.graphs);
    take(account.collectives, calls);
    take(account.idle_causes, causes);
    take(account.counters, analysis.counters);
    take(account.counter_names, analysis.counter_names);
    analysis.diagnostics.merge(account.diagnostics);
    analysis.steps = std::max(analysis.steps, account.steps);
    for (std::string& warning : account.warnings) {
      if (std::find(analysis.warnings.begin(), analysis.warnings.end(), warning) == analysis.warnings.end()) {
        analysis.warnings.push_back(std::move(warning));
      }
    }
  }
  std::stable_sort(analysis.devices.begin(), analysis.devices.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.rank, a.device) < std::tuple(b.rank, b.device);
  });
  merge_operators(analysis.operators);
  sort_operators(analysis.operators);
  for (OperatorRow& row : analysis.operators) {
    for (auto field : {&OperatorRow::module, &OperatorRow::annotation, &OperatorRow::python}) {
      if (row.*field == kMixed) (row.*field).clear();
    }
  }
  merge_graphs(analysis.graphs);
  analysis.collectives = summarise_collectives(calls, clocks_agree);
  analysis.idle_causes = merge_causes(std::move(causes));
  analysis.stragglers = find_stragglers(analysis, calls, clocks_agree);
  if (!clocks_agree && analysis.devices.size() > 1 && !analysis.collectives.empty()) {
    std::set<std::int64_t> ranks;
    for (const DeviceAccount& device : analysis.devices) ranks.insert(device.rank);
    if (ranks.size() > 1)
      analysis.warnings.push_back("the ranks' clocks do not overlap: arrival skew is not known");
  }
  for (const DeviceAccount& device : analysis.devices) {
    if (!device.idle_unreliable) continue;
    analysis.warnings.push_back(
        "idle between the kernels of a graph replay is unreliable: the profiler spaces them");
    break;
  }
  return analysis;
}

}  // namespace pagoda
