#include "analysis/work_units.h"

#include <algorithm>
#include <tuple>

namespace pagoda {
namespace {

// Two 4-d tensors of [batch, heads, tokens, dim] joined along the tokens, or an empty cache and its first
// content.
bool appends_to_cache(std::string_view base, const OpInput& input) {
  if (base != "cat" || input.args.empty() || input.args[0].list.size() != 2) return false;
  const auto& cache = input.args[0].list[0].dims;
  const auto& fresh = input.args[0].list[1].dims;
  if (fresh.size() != 4) return false;
  if (cache.size() == 1 && cache[0] == 0) return true;
  return cache.size() == 4 && cache[0] == fresh[0] && cache[1] == fresh[1] && cache[3] == fresh[3];
}

bool repeats_heads(std::string_view base, const OpInput& input) {
  if ((base != "copy" && base != "clone") || input.args.empty()) return false;
  const TensorArg& source = input.args[base == "copy" && input.args.size() > 1 ? 1 : 0];
  return source.dims.size() == 5 && source.strides.size() == 5 && source.strides[2] == 0 &&
         source.dims[2] > 1;
}

bool has_square_mask(const OpInput& input) {
  if (!input.has(0) || input.args[0].dims.size() < 3) return false;
  for (std::size_t i = 1; i < input.args.size(); ++i) {
    if (!input.has(i) || input.args[i].dims.size() < 2) continue;
    const auto& dims = input.args[i].dims;
    if (dims.back() == dims[dims.size() - 2] && dims.back() > 1) return true;
  }
  return false;
}

class WorkMaker {
 public:
  WorkMaker(const Trace& trace, const std::vector<Attribution>& attributions)
      : work_{trace, attributions, {}, {}, {}, {}, {}},
        trace_(trace),
        op_role_(trace.strings.size(), kUnseen),
        kernel_role_(trace.strings.size(), kUnseen),
        kernel_bytes_(trace.strings.size(), kUnseen) {}

  Work make(const ExplainOptions& options) {
    select(options);
    cut();
    for (Unit& unit : work_.units) price(unit);
    share_costs();
    return std::move(work_);
  }

 private:
  static constexpr std::uint8_t kUnseen = 0xFF;

  void select(const ExplainOptions& options) {
    for (std::uint32_t row = 0; row < trace_.gpu_events.size(); ++row) {
      const Nanos start = trace_.gpu_events[row].start_ns;
      if (options.window && (start < options.window->start_ns || start >= options.window->end_ns)) continue;
      work_.events.push_back(row);
    }
    // Most profiles have one busy stream and are in order already.
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      const GpuEvent& x = trace_.gpu_events[a];
      const GpuEvent& y = trace_.gpu_events[b];
      return std::tie(x.device, x.stream, a) < std::tie(y.device, y.stream, b);
    };
    if (!std::is_sorted(work_.events.begin(), work_.events.end(), before)) {
      std::sort(work_.events.begin(), work_.events.end(), before);
    }
  }

  void cut() {
    std::uint32_t stream = 0;
    Nanos longest = -1;
    const GpuEvent* before = nullptr;
    for (std::uint32_t i = 0; i < work_.events.size(); ++i) {
      const std::uint32_t row = work_.events[i];
      const GpuEvent& event = trace_.gpu_events[row];
      const Attribution& where = work_.attributions[row];
      const bool same_stream = before && before->device == event.device && before->stream == event.stream;
      if (before && !same_stream) ++stream;
      before = &event;
      if (!same_stream || where.op == kNone || work_.units.back().op != where.op) {
        Unit unit;
        unit.first_event = i;
        unit.stream = stream;
        unit.op = where.op;
        unit.phase = where.phase;
        if (event.launch != kNone && where.how != Attributed::graph) {
          unit.scope = trace_.launches[event.launch].scope;
        }
        work_.units.push_back(unit);
        longest = -1;
      }
      Unit& unit = work_.units.back();
      ++unit.event_count;
      unit.time_ns += event.duration_ns;
      if (event.duration_ns > longest) {
        longest = event.duration_ns;
        unit.kernel = event.name;
      }
    }
  }

  template <class Function>
  std::uint8_t once(std::vector<std::uint8_t>& known, StringId name, Function of) {
    if (known[name] == kUnseen) known[name] = static_cast<std::uint8_t>(of(trace_.text(name)));
    return known[name];
  }

  void price(Unit& unit) {
    const GpuEvent& event = trace_.gpu_events[work_.events[unit.first_event]];
    if (unit.op != kNone) {
      unit.role = static_cast<Role>(once(op_role_, trace_.scopes[unit.op].name, role_of_op));
      unit.facts = facts_of_op(unit);
    } else if (event.kind == GpuEventKind::kernel) {
      unit.role = static_cast<Role>(once(kernel_role_, unit.kernel, role_of_kernel));
      unit.by_kernel = true;
    } else if (event.kind == GpuEventKind::memset) {
      unit.role = Role::fill;
      unit.by_kernel = true;
    }
    const bool transfer = event.kind != GpuEventKind::kernel && unit.event_count == 1;
    const bool priced = unit.facts != kNone && work_.facts[unit.facts].cost.known;
    if (transfer && event.details != kNone && trace_.kernel_details[event.details].bytes > 0 &&
        (!priced || crosses_pcie(event))) {
      unit.facts = facts_of_transfer(event);
    } else if (!priced) {
      const std::uint32_t optimizer = facts_of_fused_optimizer(unit);
      if (optimizer != kNone) unit.facts = optimizer;
    }
  }

  std::uint32_t facts_of_op(const Unit& unit) {
    const HostScope& scope = trace_.scopes[unit.op];
    if (scope.args == kNone) return kNone;
    const std::uint8_t bytes = once(kernel_bytes_, unit.kernel, element_bytes_in_name);
    const std::uint64_t key = (static_cast<std::uint64_t>(scope.args) << 32 | scope.name) * 32 + bytes;
    const auto [found, fresh] = by_args_.try_emplace(key, static_cast<std::uint32_t>(work_.facts.size()));
    if (fresh) work_.facts.push_back(examine(scope, bytes));
    return found->second;
  }

  OpFacts examine(const HostScope& scope, int bytes) const {
    const OpArgs& args = trace_.op_args[scope.args];
    const OpInput input = parse_op_args(trace_, args);
    const std::string_view base = base_op_name(trace_.text(scope.name));
    OpFacts facts;
    facts.dims = args.dims;
    facts.cost = cost_of(trace_.text(scope.name), input, KernelHint{bytes});
    facts.kv_append = appends_to_cache(base, input);
    facts.repeats = repeats_heads(base, input);
    facts.square_mask = (base == "add" || base == "masked_fill" || base == "where") && has_square_mask(input);
    for (const TensorArg& arg : input.args) {
      if (arg.given && !arg.dims.empty()) {
        facts.last_dim = arg.dims.back();
        break;
      }
    }
    return facts;
  }

  bool crosses_pcie(const GpuEvent& event) const {
    const std::string_view name = trace_.text(event.name);
    return event.kind == GpuEventKind::memcpy &&
           (name.find("HtoD") != std::string_view::npos || name.find("DtoH") != std::string_view::npos);
  }

  std::uint32_t facts_of_transfer(const GpuEvent& event) {
    const std::uint64_t key = static_cast<std::uint64_t>(event.details) << 32 | event.name;
    const auto [found, fresh] = by_transfer_.try_emplace(key, static_cast<std::uint32_t>(work_.facts.size()));
    if (fresh) {
      OpFacts facts;
      const Access all{static_cast<std::int64_t>(trace_.kernel_details[event.details].bytes), 1};
      const std::string_view name = trace_.text(event.name);
      facts.cost.known = true;
      facts.cost.flops = facts.cost.floor_flops = 0;
      const bool copies = event.kind == GpuEventKind::memcpy;
      if (copies && name.find("HtoD") == std::string_view::npos) facts.cost.reads = {all};
      if (!copies || name.find("DtoH") == std::string_view::npos) facts.cost.writes = {all};
      work_.facts.push_back(std::move(facts));
    }
    return found->second;
  }

  // torch's fused optimizers record no shapes beyond 30 tensors, but each block takes one chunk of 65,536
  // elements: the grid tells the elements to within the last chunk of each tensor.
  std::uint32_t facts_of_fused_optimizer(const Unit& unit) {
    const GpuEvent& first = trace_.gpu_events[work_.events[unit.first_event]];
    const std::string_view name = trace_.text(unit.kernel);
    if (first.kind != GpuEventKind::kernel || name.find("FusedAdamMathFunctor") == std::string_view::npos)
      return kNone;
    std::int64_t elements = 0;
    for (std::uint32_t i = 0; i < unit.event_count; ++i) {
      const GpuEvent& event = trace_.gpu_events[work_.events[unit.first_event + i]];
      if (event.kind != GpuEventKind::kernel || event.details == kNone) continue;
      elements += 65'536 * static_cast<std::int64_t>(trace_.kernel_details[event.details].grid[0]);
    }
    const bool half = name.find("FusedAdamMathFunctor<c10::") != std::string_view::npos;
    if (elements == 0) return kNone;
    OpFacts facts;
    facts.cost.known = true;
    facts.cost.suspect = true;
    facts.cost.data_type = half ? DataType::bf16 : DataType::f32;
    facts.cost.flops = facts.cost.floor_flops = 15.0 * static_cast<double>(elements);
    facts.cost.reads.assign(4, access_of(elements, facts.cost.data_type));
    facts.cost.writes.assign(3, access_of(elements, facts.cost.data_type));
    work_.facts.push_back(std::move(facts));
    return static_cast<std::uint32_t>(work_.facts.size() - 1);
  }

  void share_costs() {
    std::unordered_map<std::uint32_t, Nanos> time;
    std::vector<std::uint8_t> seen(trace_.scopes.size(), 0);  // 2: twice or more
    bool shared = false;
    for (const Unit& unit : work_.units) {
      if (unit.op == kNone || seen[unit.op] == 2) continue;
      if (++seen[unit.op] == 2) shared = true;
    }
    if (!shared) return;
    for (const Unit& unit : work_.units) {
      if (unit.op != kNone && seen[unit.op] > 1) time[unit.op] += unit.time_ns;
    }
    for (Unit& unit : work_.units) {
      if (unit.op == kNone || seen[unit.op] < 2) continue;
      const Nanos all = time[unit.op];
      unit.share = all > 0 ? static_cast<float>(unit.time_ns) / static_cast<float>(all) : 0.0f;
    }
  }

  Work work_;
  const Trace& trace_;
  std::vector<std::uint8_t> op_role_, kernel_role_, kernel_bytes_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_args_, by_transfer_;
};

}  // namespace

Work make_work(const Trace& trace, const std::vector<Attribution>& attributions,
               const ExplainOptions& options) {
  return WorkMaker(trace, attributions).make(options);
}

}  // namespace pagoda
