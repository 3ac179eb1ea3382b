#include "analysis/collectives.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "analysis/event_class.h"
#include "analysis/operators.h"

namespace pagoda {
namespace {

/// A call that lasts this many times the median at the edge of a capture is a rank waiting for the others to
/// start.
constexpr Nanos kEdgeFactor = 10;
constexpr std::size_t kFewestCallsForEdge = 5;

void take_metadata(const Trace& trace, const Collective& from, CollectiveCall& into) {
  if (from.name != 0) into.name = trace.text(from.name);
  if (from.dtype != 0) into.dtype = trace.text(from.dtype);
  if (from.group != 0) into.group = trace.text(from.group);
  into.in_elements = std::max(into.in_elements, from.in_elements);
  into.out_elements = std::max(into.out_elements, from.out_elements);
  into.group_size = std::max<std::int64_t>(into.group_size, from.group_size);
}

std::int64_t elements_of(std::string_view shape) {  // "[2,3]" -> 6
  std::int64_t product = 1;
  bool any = false;
  for (std::size_t i = 0; i < shape.size();) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(shape.data() + i, shape.data() + shape.size(), value);
    if (error == std::errc() && value >= 0) {
      if (value != 0 && product > INT64_MAX / value) return -1;
      product *= value;
      any = true;
      i = static_cast<std::size_t>(end - shape.data());
    } else {
      ++i;
    }
  }
  return any ? product : -1;
}

// Older profilers record no metadata, but the nccl:* annotation carries the tensor's shape and type.
void take_annotation(const Trace& trace, const HostScope& scope, CollectiveCall& into) {
  if (into.name.empty()) into.name = trace.text(scope.name).substr(5);
  if (scope.args == kNone || into.in_elements >= 0) return;
  const OpArgs& args = trace.op_args[scope.args];
  const std::string shapes = readable_shapes(trace.text(args.dims));
  const std::string dtypes = readable_dtypes(trace.text(args.types), trace.text(args.dims));
  if (shapes.empty()) return;
  into.in_elements = elements_of(std::string_view(shapes).substr(0, shapes.find(' ')));
  if (into.dtype.empty()) into.dtype = dtypes.substr(0, dtypes.find(' '));
}

CollectiveCall describe(const Trace& trace, const GpuEvent& event, std::int64_t rank) {
  CollectiveCall call;
  call.rank = rank;
  call.start_ns = event.start_ns;
  call.end_ns = event.end_ns();
  if (event.collective != kNone) take_metadata(trace, trace.collectives[event.collective], call);
  std::uint32_t scope = event.launch == kNone ? kNone : trace.launches[event.launch].scope;
  for (; scope != kNone; scope = trace.scopes[scope].parent) {
    const HostScope& row = trace.scopes[scope];
    if (row.collective != kNone) take_metadata(trace, trace.collectives[row.collective], call);
    if (row.kind == ScopeKind::annotation && trace.text(row.name).starts_with("nccl:"))
      take_annotation(trace, row, call);
  }
  if (call.name.empty()) {
    // RCCL names every kernel ncclDevKernel_Generic: then the kind is not known, and it is not guessed.
    const std::string_view kernel = trace.text(event.name);
    const std::string_view stem = kernel.substr(0, kernel.find('('));
    const std::string canonical = canonical_collective(stem);
    call.name = canonical == stem ? "unknown" : canonical;
  } else {
    call.name = canonical_collective(call.name);
  }
  return call;
}

using RowKey = std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>;
RowKey key_of(const CollectiveCall& call) {
  return {call.name, call.dtype, call.group, std::max(call.in_elements, call.out_elements), call.group_size};
}

Nanos median(std::vector<Nanos> values) {
  if (values.empty()) return -1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Nanos percentile_99(std::vector<Nanos> values) {
  if (values.empty()) return -1;
  std::sort(values.begin(), values.end());
  return values[(values.size() * 99 + 99) / 100 - 1];
}

/// The same call on several ranks.
struct Matched {
  std::vector<const CollectiveCall*> calls;
  Nanos first_ns() const;
  Nanos last_ns() const;
  Nanos shortest_ns() const;
};
Nanos Matched::first_ns() const {
  Nanos value = calls.front()->start_ns;
  for (const auto* call : calls) value = std::min(value, call->start_ns);
  return value;
}
Nanos Matched::last_ns() const {
  Nanos value = calls.front()->start_ns;
  for (const auto* call : calls) value = std::max(value, call->start_ns);
  return value;
}
Nanos Matched::shortest_ns() const {
  Nanos value = calls.front()->end_ns - calls.front()->start_ns;
  for (const auto* call : calls) value = std::min(value, call->end_ns - call->start_ns);
  return value;
}

// The i-th call of a kind in a group is the same call on every rank, as collectives are ordered within a
// group. Ranks whose counts differ (cut at an edge) are matched only if all agree, so that a shifted match is
// never reported.
std::vector<Matched> match_ranks(const std::vector<const CollectiveCall*>& calls) {
  std::map<std::int64_t, std::vector<const CollectiveCall*>> by_rank;
  for (const CollectiveCall* call : calls) by_rank[call->rank].push_back(call);
  const std::size_t count = by_rank.begin()->second.size();
  for (const auto& [rank, of_rank] : by_rank) {
    if (of_rank.size() != count) return {};
  }
  std::vector<Matched> matched(count);
  for (auto& [rank, of_rank] : by_rank) {
    std::sort(of_rank.begin(), of_rank.end(),
              [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
    for (std::size_t i = 0; i < count; ++i) matched[i].calls.push_back(of_rank[i]);
  }
  return matched;
}

std::map<RowKey, std::vector<const CollectiveCall*>> by_key(const std::vector<CollectiveCall>& calls) {
  std::map<RowKey, std::vector<const CollectiveCall*>> groups;
  for (const CollectiveCall& call : calls) groups[key_of(call)].push_back(&call);
  return groups;
}

bool is_at_an_edge(const CollectiveCall& call, const std::vector<const CollectiveCall*>& all) {
  bool earlier = false, later = false;
  for (const CollectiveCall* other : all) {
    if (other->rank != call.rank || other == &call) continue;
    (other->start_ns < call.start_ns ? earlier : later) = true;
  }
  return !earlier || !later;
}

CollectiveRow summarise(const RowKey& key, const std::vector<const CollectiveCall*>& calls,
                        bool clocks_agree) {
  CollectiveRow row;
  std::tie(row.name, row.dtype, row.group, row.elements, row.group_size) = key;
  std::vector<Nanos> durations;
  for (const CollectiveCall* call : calls) durations.push_back(call->end_ns - call->start_ns);
  const Nanos typical_ns = median(durations);
  std::vector<Nanos> kept;
  for (const CollectiveCall* call : calls) {
    const Nanos duration_ns = call->end_ns - call->start_ns;
    row.time_ns += duration_ns;
    ++row.calls;
    const bool edge = calls.size() >= kFewestCallsForEdge && duration_ns > kEdgeFactor * typical_ns &&
                      is_at_an_edge(*call, calls);
    if (edge) {
      ++row.edge_calls;
    } else {
      kept.push_back(duration_ns);
    }
  }
  row.median_ns = median(kept);
  row.p99_ns = percentile_99(kept);

  std::vector<Nanos> transfer = kept;
  const std::vector<Matched> matched = match_ranks(calls);
  if (!matched.empty() && matched.front().calls.size() > 1) {
    // The last rank to arrive waits for nobody: its time is the transfer's, the others' include their wait.
    transfer.clear();
    std::vector<Nanos> skews;
    for (const Matched& call : matched) {
      transfer.push_back(call.shortest_ns());
      skews.push_back(call.last_ns() - call.first_ns());
    }
    if (clocks_agree) {
      row.median_skew_ns = median(skews);
      row.max_skew_ns = *std::max_element(skews.begin(), skews.end());
    }
  }
  const double bytes = algorithm_bytes(*calls.front());
  const Nanos transfer_ns = median(transfer);
  if (bytes > 0 && transfer_ns > 0) {
    row.algorithm_bytes_per_s = bytes / (static_cast<double>(transfer_ns) * 1e-9);
    const double factor = bus_factor(row.name, row.group_size);
    if (factor >= 0) row.bus_bytes_per_s = row.algorithm_bytes_per_s * factor;
  }
  return row;
}

}  // namespace

std::vector<CollectiveCall> list_collectives(const Trace& trace, const std::vector<bool>& selected,
                                             std::int64_t rank) {
  std::vector<CollectiveCall> calls;
  EventClassifier classes(trace);
  for (std::size_t row = 0; row < trace.gpu_events.size(); ++row) {
    const GpuEvent& event = trace.gpu_events[row];
    if (selected[row] && classes.is_communication(event)) calls.push_back(describe(trace, event, rank));
  }
  return calls;
}

std::vector<CollectiveRow> summarise_collectives(const std::vector<CollectiveCall>& calls,
                                                 bool clocks_agree) {
  std::vector<CollectiveRow> rows;
  for (const auto& [key, of_key] : by_key(calls)) rows.push_back(summarise(key, of_key, clocks_agree));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CollectiveRow& a, const CollectiveRow& b) { return a.time_ns > b.time_ns; });
  return rows;
}

std::vector<Lateness> lateness_of_ranks(const std::vector<CollectiveCall>& calls) {
  std::map<std::int64_t, Lateness> ranks;
  std::map<std::int64_t, std::vector<Nanos>> delays;
  std::int64_t matched_calls = 0;
  for (const auto& [key, of_key] : by_key(calls)) {
    for (const Matched& call : match_ranks(of_key)) {
      if (call.calls.size() < 2) continue;
      ++matched_calls;
      const Nanos first_ns = call.first_ns(), last_ns = call.last_ns();
      for (const CollectiveCall* one : call.calls) {
        ranks[one->rank].rank = one->rank;
        delays[one->rank].push_back(one->start_ns - first_ns);
        if (one->start_ns == last_ns) ++ranks[one->rank].times_last;
      }
    }
  }
  std::vector<Lateness> result;
  for (auto& [rank, late] : ranks) {
    late.matched_calls = matched_calls;
    late.median_delay_ns = median(delays[rank]);
    result.push_back(late);
  }
  return result;
}

}  // namespace pagoda
