#include "analysis/operators.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/analyze.h"

namespace pagoda {
namespace {

constexpr StringId kUnset = 0xFFFFFFFFu;
constexpr StringId kDisagree = 0xFFFFFFFEu;

struct Key {
  StringId name;
  std::uint32_t args;
  Phase phase;
  Attributed how;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::uint64_t low = (std::uint64_t{key.name} << 32) | key.args;
    const auto high = static_cast<std::uint64_t>(key.phase) * 16 + static_cast<std::uint64_t>(key.how);
    return static_cast<std::size_t>((low ^ (high << 29)) * 0x9E3779B97F4A7C15ull >> 7);
  }
};

struct Group {
  Key key{};
  StringId module = kUnset, annotation = kUnset, python = kUnset;
  Nanos time_ns = 0;
  std::int64_t calls = 0;
  std::int64_t gpu_events = 0;
  std::array<Nanos, 5> bound_ns{};
  std::unordered_map<StringId, Nanos> kernels;
};

void agree(StringId& known, StringId now) {
  if (known == kUnset) {
    known = now;
  } else if (known != now) {
    known = kDisagree;
  }
}

std::string agreed(const Trace& trace, StringId name) {
  if (name == kUnset) return {};
  return name == kDisagree ? std::string(kMixed) : std::string(trace.text(name));
}

class Tabulator {
 public:
  explicit Tabulator(const Trace& trace) : trace_(trace), op_seen_(trace.scopes.size(), false) {}

  void add(const GpuEvent& event, const Attribution& where, Bound bound) {
    const bool has_op = where.op != kNone;
    const HostScope* op = has_op ? &trace_.scopes[where.op] : nullptr;
    const Key key{has_op ? op->name : event.name, has_op ? op->args : kNone, where.phase, where.how};
    auto [found, is_new] = row_of_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
      groups_.emplace_back();
      groups_.back().key = key;
    }
    Group& group = groups_[found->second];
    group.time_ns += event.duration_ns;
    ++group.gpu_events;
    if (!has_op || !op_seen_[where.op]) ++group.calls;
    if (has_op) op_seen_[where.op] = true;
    group.bound_ns[static_cast<std::size_t>(bound)] += event.duration_ns;
    group.kernels[event.name] += event.duration_ns;
    agree(group.module, name_of(where.module));
    agree(group.annotation, name_of(where.annotation));
    agree(group.python, name_of(where.python));
  }

  std::vector<OperatorRow> rows() const {
    std::vector<OperatorRow> rows;
    rows.reserve(groups_.size());
    for (const Group& group : groups_) rows.push_back(row(group));
    return rows;
  }

 private:
  StringId name_of(std::uint32_t scope) const { return scope == kNone ? 0 : trace_.scopes[scope].name; }

  OperatorRow row(const Group& group) const {
    OperatorRow row;
    row.name = trace_.text(group.key.name);
    if (group.key.args != kNone) {
      const OpArgs& args = trace_.op_args[group.key.args];
      row.shapes = readable_shapes(trace_.text(args.dims));
      row.dtypes = readable_dtypes(trace_.text(args.types), trace_.text(args.dims));
    }
    row.module = agreed(trace_, group.module);
    row.annotation = agreed(trace_, group.annotation);
    row.python = agreed(trace_, group.python);
    row.phase = group.key.phase;
    row.how = group.key.how;
    row.time_ns = group.time_ns;
    row.calls = group.calls;
    row.gpu_events = group.gpu_events;
    row.bound_ns = group.bound_ns;
    Nanos most_ns = -1;
    for (const auto& [name, time_ns] : group.kernels) {
      const std::string_view text = trace_.text(name);
      if (time_ns > most_ns || (time_ns == most_ns && text < row.top_kernel)) {
        most_ns = time_ns;
        row.top_kernel = text;
      }
    }
    return row;
  }

  const Trace& trace_;
  std::vector<bool> op_seen_;
  std::unordered_map<Key, std::uint32_t, KeyHash> row_of_;
  std::vector<Group> groups_;
};

// Different argument rows can read the same (strides and scalars are not shown): those are one operator to a
// reader.
auto identity(const OperatorRow& row) {
  return std::tie(row.name, row.shapes, row.dtypes, row.phase, row.how);
}

}  // namespace

std::vector<OperatorRow> tabulate_operators(const Trace& trace, const std::vector<Attribution>& attributions,
                                            std::span<const Bound> bounds,
                                            const std::vector<bool>& selected) {
  Tabulator tabulator(trace);
  for (std::size_t row = 0; row < trace.gpu_events.size(); ++row) {
    if (!selected[row]) continue;
    tabulator.add(trace.gpu_events[row], attributions[row], bounds.empty() ? Bound::unknown : bounds[row]);
  }
  std::vector<OperatorRow> rows = tabulator.rows();
  merge_operators(rows);
  return rows;
}

void merge_operators(std::vector<OperatorRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    if (identity(a) != identity(b)) return identity(a) < identity(b);
    return std::tuple(-a.time_ns, a.top_kernel) < std::tuple(-b.time_ns, b.top_kernel);
  });
  std::vector<OperatorRow> merged;
  for (OperatorRow& row : rows) {
    if (merged.empty() || identity(merged.back()) != identity(row)) {
      merged.push_back(std::move(row));
      continue;
    }
    OperatorRow& into = merged.back();
    into.time_ns += row.time_ns;
    into.calls += row.calls;
    into.gpu_events += row.gpu_events;
    for (std::size_t i = 0; i < into.bound_ns.size(); ++i) into.bound_ns[i] += row.bound_ns[i];
    for (auto field : {&OperatorRow::module, &OperatorRow::annotation, &OperatorRow::python}) {
      if (into.*field != row.*field) into.*field = kMixed;
    }
  }
  rows = std::move(merged);
}

void sort_operators(std::vector<OperatorRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : identity(a) < identity(b);
  });
}

std::vector<GraphRow> tabulate_graphs(const Trace& trace, const std::vector<bool>& selected) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> events_of_launch;
  for (std::uint32_t row = 0; row < trace.gpu_events.size(); ++row) {
    const std::uint32_t launch = trace.gpu_events[row].launch;
    if (!selected[row] || launch == kNone) continue;
    if (trace.launches[launch].kind == RuntimeCallKind::graph_launch) events_of_launch[launch].push_back(row);
  }
  // Replays of one graph run the same kernels; on several streams their order may vary, so the multiset tells
  // them apart.
  std::map<std::pair<StringId, std::vector<StringId>>, GraphRow> graphs;
  std::map<std::pair<StringId, std::vector<StringId>>, std::map<StringId, GraphRow::Kernel>> kernels;
  for (const auto& [launch, rows] : events_of_launch) {
    std::pair<StringId, std::vector<StringId>> key{trace.launches[launch].name, {}};
    for (std::uint32_t row : rows) key.second.push_back(trace.gpu_events[row].name);
    std::sort(key.second.begin(), key.second.end());
    GraphRow& graph = graphs[key];
    graph.launch_call = trace.text(trace.launches[launch].name);
    ++graph.launches;
    for (std::uint32_t row : rows) {
      const GpuEvent& event = trace.gpu_events[row];
      ++graph.gpu_events;
      graph.time_ns += event.duration_ns;
      GraphRow::Kernel& kernel = kernels[key][event.name];
      ++kernel.calls;
      kernel.time_ns += event.duration_ns;
    }
  }
  std::vector<GraphRow> result;
  for (auto& [key, graph] : graphs) {
    for (auto& [name, kernel] : kernels[key]) {
      kernel.name = trace.text(name);
      graph.kernels.push_back(kernel);
    }
    result.push_back(std::move(graph));
  }
  sort_graphs(result);
  return result;
}

void sort_graphs(std::vector<GraphRow>& rows) {
  for (GraphRow& graph : rows) {
    std::sort(graph.kernels.begin(), graph.kernels.end(), [](const auto& a, const auto& b) {
      return std::tie(b.time_ns, a.name) < std::tie(a.time_ns, b.name);
    });
  }
  const auto first_kernel = [](const GraphRow& g) {
    return g.kernels.empty() ? std::string() : g.kernels.front().name;
  };
  std::sort(rows.begin(), rows.end(), [&](const GraphRow& a, const GraphRow& b) {
    return std::tuple(-a.time_ns, -a.gpu_events, a.launch_call, first_kernel(a)) <
           std::tuple(-b.time_ns, -b.gpu_events, b.launch_call, first_kernel(b));
  });
}

}  // namespace pagoda
