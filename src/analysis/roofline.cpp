#include "analysis/roofline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/operators.h"
#include "analysis/roofline_units.h"

namespace pagoda {
namespace {

std::string_view data_type_text(DataType type) {
  constexpr std::array<std::string_view, 14> kNames = {
      "",           "float64", "float32", "float16", "bfloat16", "float8", "complex64",
      "complex128", "int64",   "int32",   "int16",   "int8",     "uint8",  "bool"};
  return kNames[static_cast<std::size_t>(type)];
}

// "[1,8] [1,8] [8]" -> "[1,8] [8]": a shape that repeats the one before says nothing new.
std::string distinct_shapes(const std::string& shapes) {
  std::string result;
  std::string last;
  std::size_t from = 0;
  while (from < shapes.size()) {
    std::size_t to = shapes.find("] ", from);
    to = to == std::string::npos ? shapes.size() : to + 1;
    const std::string shape = shapes.substr(from, to - from);
    if (shape != last) result += (result.empty() ? "" : " ") + shape;
    last = shape;
    from = to + 1;
  }
  return result;
}

class Explainer {
 public:
  Explainer(Work work, const GpuSpec* gpu, const ExplainOptions& options)
      : work_(std::move(work)),
        trace_(work_.trace),
        gpu_(gpu),
        prices_(price_units(work_, gpu, options)),
        members_(work_),
        needs_(fused_needs(work_, prices_, members_)),
        time_of_name_(trace_.strings.size(), -1) {}

  Explanation run() {
    if (gpu_) out_.gpu = *gpu_;
    write_bounds();
    write_instances();
    write_groups();
    write_coverage();
    out_.chains = find_chains(work_, prices_, instance_of_draft_);
    return std::move(out_);
  }

 private:
  void write_bounds() {
    out_.bounds.assign(trace_.gpu_events.size(), Bound::unknown);
    out_.known_by.assign(trace_.gpu_events.size(), KnownBy::none);
    for (std::uint32_t u = 0; u < work_.units.size(); ++u) {
      const Unit& unit = work_.units[u];
      for (std::uint32_t i = 0; i < unit.event_count; ++i) {
        const std::uint32_t row = work_.events[unit.first_event + i];
        out_.bounds[row] = prices_[u].bound;
        out_.known_by[row] = prices_[u].known_by;
        out_.gpu_time_ns += trace_.gpu_events[row].duration_ns;
      }
      const bool suspect = unit.facts != kNone && work_.facts[unit.facts].cost.suspect;
      if (suspect) out_.suspect_shapes += unit.event_count;
    }
  }

  void write_instances() {
    out_.instance_of_event.assign(trace_.gpu_events.size(), kNone);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // first row of the events, draft
    for (std::uint32_t draft = 0; draft < work_.drafts.size(); ++draft) {
      std::uint32_t first_row = kNone;
      for (std::uint32_t u : members_[draft]) {
        first_row = std::min(first_row, work_.events[work_.units[u].first_event]);
      }
      if (first_row != kNone) order.emplace_back(first_row, draft);
    }
    if (!std::is_sorted(order.begin(), order.end())) std::sort(order.begin(), order.end());
    out_.instances.reserve(order.size());
    out_.instance_events.reserve(work_.events.size());
    draft_of_instance_.reserve(order.size());
    instance_of_draft_.assign(work_.drafts.size(), kNone);
    for (const auto& [row, draft] : order) {
      draft_of_instance_.push_back(draft);
      instance_of_draft_[draft] = static_cast<std::uint32_t>(out_.instances.size());
      out_.instances.push_back(instance_of(draft));
    }
  }

  OperatorInstance instance_of(std::uint32_t draft) {
    const Draft& from = work_.drafts[draft];
    OperatorInstance result;
    result.kind = from.kind;
    result.phase = from.phase;
    result.how = from.how;
    result.confidence_fraction = from.confidence_fraction;
    result.first_event = static_cast<std::uint32_t>(out_.instance_events.size());
    const auto instance = static_cast<std::uint32_t>(out_.instances.size());
    bool known = true;
    double flops = 0;
    double bytes = 0;
    for (std::uint32_t u : members_[draft]) {
      const Unit& unit = work_.units[u];
      const UnitPrice& price = prices_[u];
      known = known && price.known;
      flops += std::max(price.flops, 0.0);
      bytes += price.bytes_read + price.bytes_written;
      result.l2_bytes += price.l2_bytes;
      result.time_ns += unit.time_ns;
      for (std::uint32_t i = 0; i < unit.event_count; ++i) {
        const std::uint32_t row = work_.events[unit.first_event + i];
        out_.instance_events.push_back(row);
        out_.instance_of_event[row] = instance;
      }
    }
    result.event_count = static_cast<std::uint32_t>(out_.instance_events.size()) - result.first_event;
    if (result.event_count > 1) {
      std::sort(out_.instance_events.begin() + result.first_event, out_.instance_events.end());
    }
    if (known) {
      result.flops = flops;
      result.bytes = bytes;
    }
    result.floor_bytes = needs_[draft].bytes();
    result.floor_flops = needs_[draft].flops;
    return result;
  }

  // The unit whose shapes and type stand for the operator: its matmul, else the first that has any.
  std::uint32_t speaker(std::uint32_t draft) const {
    std::uint32_t best = kNone;
    for (std::uint32_t u : members_[draft]) {
      const Unit& unit = work_.units[u];
      if (unit.facts == kNone || work_.facts[unit.facts].dims == 0) continue;
      if (unit.role == Role::matmul) return u;
      if (best == kNone) best = u;
    }
    return best;
  }

  DataType data_type(std::uint32_t draft) const {
    DataType best = DataType::unknown;
    for (std::uint32_t u : members_[draft]) {
      const OpCost* cost = work_.cost(work_.units[u]);
      if (!cost || cost->data_type == DataType::unknown) continue;
      if (best == DataType::unknown || (is_floating(cost->data_type) && !is_floating(best)) ||
          (is_floating(cost->data_type) == is_floating(best) &&
           element_bytes(cost->data_type) < element_bytes(best))) {
        best = cost->data_type;
      }
    }
    return best;
  }

  void write_groups() {
    // First by numbers, then by text: equal texts must not depend on ids.
    std::unordered_map<std::uint64_t, std::uint32_t> by_ids;
    std::map<std::tuple<OperatorKind, Phase, std::string, std::string>, std::uint32_t> by_text;
    for (std::uint32_t i = 0; i < out_.instances.size(); ++i) {
      OperatorInstance& instance = out_.instances[i];
      const std::uint32_t draft = draft_of_instance_[i];
      const std::uint32_t u = speaker(draft);
      const StringId dims = u == kNone ? 0 : work_.facts[work_.units[u].facts].dims;
      const DataType type = data_type(draft);
      const std::uint64_t key =
          static_cast<std::uint64_t>(dims) << 32 | static_cast<std::uint64_t>(type) << 16 |
          static_cast<std::uint64_t>(instance.phase) << 8 | static_cast<std::uint64_t>(instance.kind);
      const auto [found, fresh] = by_ids.try_emplace(key, 0);
      if (fresh) {
        const std::string shapes = distinct_shapes(readable_shapes(trace_.text(dims)));
        const std::string dtype(data_type_text(type));
        const auto [text, is_new] = by_text.try_emplace({instance.kind, instance.phase, shapes, dtype},
                                                        static_cast<std::uint32_t>(out_.groups.size()));
        found->second = text->second;
        if (is_new) {
          out_.groups.push_back(empty_group(instance, shapes, dtype));
          weakest_.emplace_back();
        }
      }
      instance.group = found->second;
      add(out_.groups[found->second], i);
    }
    for (std::size_t i = 0; i < out_.groups.size(); ++i) finish(out_.groups[i], weakest_[i]);
    sort_groups();
  }

  static OperatorGroup empty_group(const OperatorInstance& instance, const std::string& shapes,
                                   const std::string& dtype) {
    OperatorGroup group;
    group.kind = instance.kind;
    group.phase = instance.phase;
    group.how = instance.how;
    group.shapes = shapes;
    group.dtype = dtype;
    group.flops = group.bytes = group.floor_flops = group.floor_bytes = 0;
    group.floor_ns = group.kernel_floor_ns = 0;
    group.sol_fraction = 0;  // time at the roofs until finish()
    return group;
  }

  static void sum(double& into, double value) { into = into < 0 || value < 0 ? -1 : into + value; }
  static void sum(Nanos& into, Nanos value) { into = into < 0 || value < 0 ? -1 : into + value; }

  void add(OperatorGroup& group, std::uint32_t i) {
    const OperatorInstance& instance = out_.instances[i];
    group.how = std::max(group.how, instance.how);
    group.confidence_fraction += instance.confidence_fraction * static_cast<float>(instance.time_ns);
    group.instances.push_back(i);
    group.gpu_events += instance.event_count;
    group.time_ns += instance.time_ns;
    group.l2_bytes += instance.l2_bytes;
    sum(group.flops, instance.flops);
    sum(group.bytes, instance.bytes);
    sum(group.floor_flops, instance.floor_flops);
    sum(group.floor_bytes, instance.floor_bytes);
    sum(group.floor_ns, floor_of(i));
    for (std::uint32_t u : members_[draft_of_instance_[i]]) {
      const UnitPrice& price = prices_[u];
      sum(group.kernel_floor_ns, price.floor_ns);
      sum(group.sol_fraction, price.roof_ns);
      const Nanos time = work_.units[u].time_ns;
      group.bound_ns[static_cast<std::size_t>(price.bound)] += time;
      KnownBy& weakest = weakest_[instance.group][static_cast<std::size_t>(price.bound)];
      if (time > 0) weakest = std::max(weakest, price.known_by);
      group.fp32_matmul = group.fp32_matmul || price.fp32_matmul;
    }
  }

  Nanos floor_of(std::uint32_t i) const {
    const std::uint32_t draft = draft_of_instance_[i];
    const FusedNeed& need = needs_[draft];
    if (!gpu_ || need.bytes_read < 0 || gpu_->roof_bytes_per_s() <= 0) return -1;
    const UnitPrice* math = main_math(draft);
    const double ns = attainable_ns(*gpu_, need.bytes_read, need.bytes_written, need.flops,
                                    math ? math->math : MathType::fp32, math && math->matrix);
    return std::min(out_.instances[i].time_ns,
                    std::max(kShortestKernelNs, static_cast<Nanos>(std::llround(ns))));
  }

  const UnitPrice* main_math(std::uint32_t draft) const {
    const UnitPrice* best = nullptr;
    for (std::uint32_t u : members_[draft]) {
      if (prices_[u].flops > 0 && (!best || prices_[u].flops > best->flops)) best = &prices_[u];
    }
    return best;
  }

  void finish(OperatorGroup& group, const std::array<KnownBy, 5>& weakest) {
    group.instance_count = static_cast<std::int64_t>(group.instances.size());
    const double time_s = static_cast<double>(group.time_ns) / 1e9;
    group.confidence_fraction = group.time_ns > 0
                                    ? group.confidence_fraction / static_cast<float>(group.time_ns)
                                    : out_.instances[group.instances.front()].confidence_fraction;
    if (out_.gpu_time_ns > 0) {
      group.share_fraction = static_cast<double>(group.time_ns) / static_cast<double>(out_.gpu_time_ns);
    }
    describe(group);
    const UnitPrice* math = main_math(draft_of_instance_[group.instances.front()]);
    const bool matrix = math && math->matrix;
    if (math && group.flops > 0) group.math_type = math_type_name(math->math);
    if (group.flops >= 0 && group.bytes > 0) group.arithmetic_intensity = group.flops / group.bytes;
    if (gpu_ && gpu_->roof_bytes_per_s() > 0) {
      const double peak = gpu_->roof_flops_per_s(math ? math->math : MathType::fp32, matrix);
      if (peak > 0) group.ridge_point = peak / gpu_->roof_bytes_per_s();
    }
    if (time_s > 0) {
      if (group.flops >= 0) group.achieved_flops_per_s = group.flops / time_s;
      if (group.bytes >= 0) group.achieved_bytes_per_s = group.bytes / time_s;
    }
    const double roof_ns = group.sol_fraction;
    group.sol_fraction =
        roof_ns >= 0 && group.time_ns > 0 ? roof_ns / static_cast<double>(group.time_ns) : -1;
    group.model_error = group.sol_fraction > kModelErrorFraction;
    if (group.floor_ns >= 0 && group.time_ns > 0) {
      group.fused_sol_fraction = static_cast<double>(group.floor_ns) / static_cast<double>(group.time_ns);
    }
    const auto most = std::max_element(group.bound_ns.begin(), group.bound_ns.end());
    if (*most > 0) group.bound = static_cast<Bound>(most - group.bound_ns.begin());
    // The weakest answer among the kernels that have the group's bound.
    group.known_by = *most > 0 ? weakest[static_cast<std::size_t>(group.bound)] : KnownBy::none;
  }

  void describe(OperatorGroup& group) {
    std::vector<StringId> kernels;
    std::vector<StringId> ops;
    for (std::uint32_t i : group.instances) {
      for (std::uint32_t u : members_[draft_of_instance_[i]]) {
        const Unit& unit = work_.units[u];
        for (std::uint32_t e = 0; e < unit.event_count; ++e) {
          const GpuEvent& event = trace_.gpu_events[work_.events[unit.first_event + e]];
          tally(event.name, event.duration_ns, kernels);
        }
      }
    }
    for (const auto& [time, name] : rank(kernels)) {
      if (group.kernels.size() == 8) break;
      group.kernels.emplace_back(name);
    }
    for (std::uint32_t i : group.instances) {
      for (std::uint32_t u : members_[draft_of_instance_[i]]) {
        const Unit& unit = work_.units[u];
        if (unit.op != kNone) tally(trace_.scopes[unit.op].name, unit.time_ns, ops);
      }
    }
    const auto by_op = rank(ops);
    group.top_op =
        by_op.empty() ? (group.kernels.empty() ? "" : group.kernels.front()) : by_op.front().second;
  }

  void tally(StringId name, Nanos time, std::vector<StringId>& seen) {
    if (time_of_name_[name] < 0) {
      time_of_name_[name] = 0;
      seen.push_back(name);
    }
    time_of_name_[name] += time;
  }

  std::vector<std::pair<Nanos, std::string_view>> rank(const std::vector<StringId>& seen) {
    std::vector<std::pair<Nanos, std::string_view>> rows;
    for (StringId name : seen) {
      rows.emplace_back(-time_of_name_[name], trace_.text(name));
      time_of_name_[name] = -1;
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  void sort_groups() {
    std::vector<std::uint32_t> order(out_.groups.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::uint32_t i) {
      const OperatorGroup& g = out_.groups[i];
      return std::tuple(-g.time_ns, operator_kind_name(g.kind), phase_name(g.phase),
                        std::string_view(g.shapes), std::string_view(g.dtype));
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<OperatorGroup> sorted;
    for (std::uint32_t i : order) {
      for (std::uint32_t instance : out_.groups[i].instances) {
        out_.instances[instance].group = static_cast<std::uint32_t>(sorted.size());
      }
      sorted.push_back(std::move(out_.groups[i]));
    }
    out_.groups = std::move(sorted);
  }

  void write_coverage() {
    if (out_.gpu_time_ns <= 0) return;
    Nanos classified = 0;
    Nanos modelled = 0;
    Nanos bounded = 0;
    double dram = 0;
    double l2 = 0;
    for (std::uint32_t u = 0; u < work_.units.size(); ++u) {
      const Nanos time = work_.units[u].time_ns;
      if (work_.drafts[work_.units[u].draft].kind != OperatorKind::other) classified += time;
      if (prices_[u].bound != Bound::unknown) bounded += time;
      if (!prices_[u].known) continue;
      modelled += time;
      dram += prices_[u].bytes_read + prices_[u].bytes_written;
      l2 += prices_[u].l2_bytes;
    }
    const auto fraction = [&](Nanos part) {
      return static_cast<double>(part) / static_cast<double>(out_.gpu_time_ns);
    };
    out_.coverage.classified_fraction = fraction(classified);
    out_.coverage.modelled_fraction = fraction(modelled);
    out_.coverage.bound_fraction = fraction(bounded);
    if (dram + l2 > 0) out_.coverage.l2_fraction = l2 / (dram + l2);
  }

  Work work_;
  const Trace& trace_;
  const GpuSpec* gpu_;
  std::vector<UnitPrice> prices_;
  Members members_;
  std::vector<FusedNeed> needs_;
  std::vector<std::array<KnownBy, 5>> weakest_;  // per group and bound
  std::vector<Nanos> time_of_name_;              // scratch of rank(): -1 where unseen
  std::vector<std::uint32_t> instance_of_draft_, draft_of_instance_;
  Explanation out_;
};

}  // namespace

Explanation explain(const Trace& trace, const std::vector<Attribution>& attributions, const GpuSpec* gpu,
                    const ExplainOptions& options) {
  Work work = make_work(trace, attributions, options);
  recognise_regions(work);
  recognise_sequences(work);
  // Operators of one op are drafts too before their backward looks for them.
  recognise_forward_single(work);
  recognise_backward(work);
  recognise_single(work);
  return Explainer(std::move(work), gpu, options).run();
}

}  // namespace pagoda
