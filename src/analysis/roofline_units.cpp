#include "analysis/roofline_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>

#include "analysis/event_class.h"

namespace pagoda {
namespace {

/// Below this a kernel's launch, first wave and drain are most of its time.
constexpr Nanos kSmallKernelNs = 5'000;
/// A kernel that uses less of both roofs than this is limited by neither, if it also is small.
constexpr double kIdleRoofFraction = 0.30;
/// How many writes back a tensor is looked for in L2.
constexpr std::size_t kL2Writes = 16;

/// Tensors that lie in L2 because a kernel just wrote them. Half of L2 is counted on: the rest holds what
/// streams through.
class L2 {
 public:
  explicit L2(const GpuSpec* gpu) : room_(gpu ? static_cast<double>(gpu->l2_bytes) / 2 : 0) {}

  void reset() { writes_.clear(); }
  /// The draft that wrote it, if the tensor is still there. One write answers one operand of an op: two
  /// operands of equal size are two tensors. `op` numbers the asking op.
  std::optional<std::uint32_t> find(const Access& access, std::uint64_t op) {
    if (access.bytes() > room_) return std::nullopt;
    for (auto write = writes_.rbegin(); write != writes_.rend(); ++write) {
      if (traffic_ - write->traffic_at > room_) break;
      if (write->read_by == op || !write->access.same_tensor(access)) continue;
      write->read_by = op;
      return write->draft;
    }
    return std::nullopt;
  }
  void pass(double bytes) { traffic_ += bytes; }
  void write(const Access& access, std::uint32_t draft) {
    if (access.bytes() > room_) return;
    writes_.push_back({access, traffic_, draft, 0});
    if (writes_.size() > kL2Writes) writes_.pop_front();
  }

 private:
  struct Write {
    Access access;
    double traffic_at;
    std::uint32_t draft;
    std::uint64_t read_by;
  };
  double room_;
  double traffic_ = 0;
  std::deque<Write> writes_;
};

MathType math_type_of(DataType type) {
  switch (type) {
    case DataType::f64: return MathType::fp64;
    case DataType::f16: return MathType::fp16;
    case DataType::bf16: return MathType::bf16;
    case DataType::f8: return MathType::fp8;
    case DataType::i8:
    case DataType::u8: return MathType::int8;
    default: return MathType::fp32;
  }
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class Pricer {
 public:
  Pricer(const Work& work, const GpuSpec* gpu, const ExplainOptions& options)
      : work_(work), trace_(work.trace), gpu_(gpu), options_(options), l2_(gpu), classes_(work.trace) {
    for (const Unit& unit : work_.units) {
      if (unit.op != kNone) continue;
      const std::string_view name = trace_.text(unit.kernel);
      decodes_ = decodes_ || has(name, "paged_attention") || has(name, "Decode") || has(name, "attention_3d");
      if (decodes_) break;
    }
  }

  std::vector<UnitPrice> run() {
    std::vector<std::uint32_t> order(work_.units.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return first_row(a) < first_row(b); };
    if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
    std::vector<UnitPrice> prices(work_.units.size());
    std::uint32_t device = kNone;
    for (std::uint32_t i : order) {
      const std::uint32_t on = trace_.gpu_events[first_row(i)].device;
      if (on != device) l2_.reset();
      device = on;
      prices[i] = price(work_.units[i]);
    }
    return prices;
  }

 private:
  std::uint32_t first_row(std::uint32_t unit) const { return work_.events[work_.units[unit].first_event]; }

  UnitPrice price(const Unit& unit) {
    UnitPrice result;
    const OpCost* cost = work_.cost(unit);
    if (cost) count(unit, *cost, result);
    apply_counters(unit, result);
    if (result.known && gpu_) hold_against_roofs(unit, cost, result);
    bound(unit, cost, result);
    return result;
  }

  void count(const Unit& unit, const OpCost& cost, UnitPrice& result) {
    result.known = true;
    result.flops = cost.flops * unit.share;
    result.matrix = cost.matrix;
    set_math(unit, cost, result);
    ++op_number_;
    for (const Access& access : cost.reads) {
      const double bytes = access.bytes() * unit.share;
      if (const auto writer = l2_.find(access, op_number_)) {
        result.l2_bytes += bytes;
        if (*writer != unit.draft) result.l2_external += bytes;
      } else {
        result.bytes_read += bytes;
      }
    }
    l2_.pass(cost.read_bytes() * unit.share);
    for (const Access& access : cost.writes) {
      result.bytes_written += access.bytes() * unit.share;
      l2_.pass(access.bytes() * unit.share);
    }
    for (const Access& access : cost.writes) l2_.write(access, unit.draft);
  }

  void set_math(const Unit& unit, const OpCost& cost, UnitPrice& result) {
    if (!cost.matrix) return;
    result.math = math_type_of(cost.data_type);
    if (result.math != MathType::fp32 || !gpu_) return;
    const bool has_tf32 = gpu_->matrix_flops_per_s[static_cast<std::size_t>(MathType::tf32)] > 0;
    if (!has_tf32) return;
    const std::string_view name = trace_.text(unit.kernel);
    if (is_simt_gemm(name)) {
      result.fp32_matmul = true;
    } else if (is_tf32_kernel(name) || has(name, "nvjet") || has(name, "xmma") || has(name, "tensorop")) {
      result.math = MathType::tf32;
    }
  }

  // Bytes of DRAM as measured, for each kernel that has them.
  void apply_counters(const Unit& unit, UnitPrice& result) const {
    if (!options_.counters || !options_.counter_of_event) return;
    double read = 0;
    double written = 0;
    for (std::uint32_t i = 0; i < unit.event_count; ++i) {
      const std::uint32_t row = work_.events[unit.first_event + i];
      if (trace_.gpu_events[row].kind != GpuEventKind::kernel) continue;
      const std::uint32_t counter = (*options_.counter_of_event)[row];
      if (counter == kNone) return;
      const auto& metrics = options_.counters->counters[counter].metrics;
      const auto in = metrics.find("dram__bytes_read.sum");
      const auto out = metrics.find("dram__bytes_write.sum");
      if (in == metrics.end() || out == metrics.end()) return;
      read += in->second;
      written += out->second;
    }
    result.bytes_read = read;
    result.bytes_written = written;
    result.known_by = KnownBy::counters;
    if (!result.known) result.flops = 0;
    result.known = true;
  }

  void hold_against_roofs(const Unit& unit, const OpCost* cost, UnitPrice& result) const {
    if (gpu_->roof_bytes_per_s() <= 0) return;
    const double peak = gpu_->roof_flops_per_s(result.math, result.matrix);
    const double memory_ns = (result.bytes_read + result.bytes_written) / gpu_->roof_bytes_per_s() * 1e9;
    const double compute_ns = peak > 0 ? std::max(result.flops, 0.0) / peak * 1e9 : 0;
    result.roof_ns = std::max(memory_ns, compute_ns);
    if (cost && cost->suspect && result.roof_ns > kModelErrorFraction * static_cast<double>(unit.time_ns)) {
      result = UnitPrice{};  // the recorded shapes are those of a larger buffer
      return;
    }
    const double floor = attainable_ns(*gpu_, result.bytes_read, result.bytes_written, result.flops,
                                       result.math, result.matrix);
    result.floor_ns =
        std::min(unit.time_ns, std::max(kShortestKernelNs, static_cast<Nanos>(std::llround(floor))));
  }

  void bound(const Unit& unit, const OpCost* cost, UnitPrice& result) {
    const GpuEvent& event = trace_.gpu_events[work_.events[unit.first_event]];
    const OperatorKind kind = work_.drafts[unit.draft].kind;
    if (classes_.is_communication(event) || kind == OperatorKind::collective) {
      result.bound = Bound::communication;
      result.known_by = KnownBy::name;
    } else if (crosses_pcie(event, unit)) {
      result.bound = unit.time_ns < kSmallKernelNs ? Bound::latency : Bound::communication;
      result.known_by = KnownBy::name;
    } else if (by_counters(unit, result)) {
      result.known_by = KnownBy::counters;
    } else if (result.known && gpu_ && result.roof_ns >= 0) {
      by_model(unit, cost, result);
    } else {
      result.bound = by_name(unit, kind);
      result.known_by = result.bound == Bound::unknown ? KnownBy::none : KnownBy::name;
    }
  }

  bool crosses_pcie(const GpuEvent& event, const Unit& unit) const {
    if (event.kind != GpuEventKind::memcpy || unit.event_count != 1) return false;
    const std::string_view name = trace_.text(event.name);
    return has(name, "HtoD") || has(name, "DtoH");
  }

  // Nsight Compute's own speed-of-light percentages.
  bool by_counters(const Unit& unit, UnitPrice& result) const {
    if (!options_.counters || !options_.counter_of_event) return false;
    const std::uint32_t counter = (*options_.counter_of_event)[longest_row(unit)];
    if (counter == kNone) return false;
    const auto& metrics = options_.counters->counters[counter].metrics;
    const auto compute = metrics.find("sm__throughput.avg.pct_of_peak_sustained_elapsed");
    auto memory = metrics.find("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
    if (memory == metrics.end()) memory = metrics.find("dram__throughput.avg.pct_of_peak_sustained_elapsed");
    if (compute == metrics.end() || memory == metrics.end()) return false;
    const double most = std::max(compute->second, memory->second) / 100;
    result.bound = most < kIdleRoofFraction           ? Bound::latency
                   : compute->second > memory->second ? Bound::compute
                                                      : Bound::memory;
    return true;
  }

  void by_model(const Unit& unit, const OpCost* cost, UnitPrice& result) const {
    const double time = static_cast<double>(std::max<Nanos>(unit.time_ns, 1));
    if (result.known_by == KnownBy::none) result.known_by = KnownBy::modelled;
    const bool small = unit.time_ns < kSmallKernelNs || leaves_sms_idle(unit);
    // What L2 served was waited for too, at a few times the speed of DRAM: it keeps a kernel from being idle.
    const double served = result.l2_bytes / (3 * gpu_->roof_bytes_per_s()) * 1e9;
    const double memory_ns =
        (result.bytes_read + result.bytes_written) / gpu_->roof_bytes_per_s() * 1e9 + served;
    const double peak = gpu_->roof_flops_per_s(result.math, result.matrix);
    const double compute_ns = peak > 0 ? std::max(result.flops, 0.0) / peak * 1e9 : 0;
    if (small && std::max(memory_ns, compute_ns) < kIdleRoofFraction * time) {
      result.bound = Bound::latency;
    } else {
      result.bound = compute_ns > memory_ns && (!cost || cost->matrix) ? Bound::compute : Bound::memory;
    }
  }

  std::uint32_t longest_row(const Unit& unit) const {
    std::uint32_t best = work_.events[unit.first_event];
    for (std::uint32_t i = 1; i < unit.event_count; ++i) {
      const std::uint32_t row = work_.events[unit.first_event + i];
      if (trace_.gpu_events[row].duration_ns > trace_.gpu_events[best].duration_ns) best = row;
    }
    return best;
  }

  bool leaves_sms_idle(const Unit& unit) const {
    const std::uint32_t details = trace_.gpu_events[longest_row(unit)].details;
    if (details == kNone || gpu_->sm_count == 0) return false;
    const auto& grid = trace_.kernel_details[details].grid;
    const double blocks = static_cast<double>(grid[0]) * grid[1] * grid[2];
    return blocks > 0 && blocks < gpu_->sm_count;
  }

  Bound by_name(const Unit& unit, OperatorKind kind) const {
    using Kind = OperatorKind;
    if (kind == Kind::other) return Bound::unknown;
    if (unit.time_ns < kSmallKernelNs) return Bound::latency;
    switch (kind) {
      case Kind::gemm:
      case Kind::moe: return decodes_ ? Bound::memory : Bound::compute;
      case Kind::convolution: return Bound::compute;
      case Kind::attention: {
        const std::string_view name = trace_.text(unit.kernel);
        const bool decode = has(name, "paged") || has(name, "ecode") || has(name, "attention_3d");
        return decode || (decodes_ && unit.op == kNone) ? Bound::memory : Bound::compute;
      }
      case Kind::sampling: return Bound::latency;
      default: return Bound::memory;
    }
  }

  const Work& work_;
  const Trace& trace_;
  const GpuSpec* gpu_;
  const ExplainOptions& options_;
  L2 l2_;
  EventClassifier classes_;
  std::uint64_t op_number_ = 0;
  bool decodes_ = false;  ///< kernels of decode attention without ops around: a replayed decode step
};

}  // namespace

double attainable_ns(const GpuSpec& gpu, double bytes_read, double bytes_written, double flops, MathType math,
                     bool matrix) {
  const double bandwidth = gpu.attainable_bytes_per_s(bytes_read, bytes_written);
  const double peak = gpu.attainable_flops_per_s(math, matrix);
  const double memory_ns = bandwidth > 0 ? (bytes_read + bytes_written) / bandwidth * 1e9 : 0;
  const double compute_ns = peak > 0 ? std::max(flops, 0.0) / peak * 1e9 : 0;
  return std::max(memory_ns, compute_ns);
}

std::vector<UnitPrice> price_units(const Work& work, const GpuSpec* gpu, const ExplainOptions& options) {
  return Pricer(work, gpu, options).run();
}

}  // namespace pagoda
