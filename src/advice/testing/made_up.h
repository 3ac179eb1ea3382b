#pragma once
#include <string>
#include <utility>
#include <vector>

#include "advice/make_plan.h"
#include "analysis/analyze.h"
#include "analysis/testing/trace_builder.h"

namespace pagoda::testing {

/// One kind of operator in a made-up workload. Times are of one GPU event.
struct MadeOperator {
  OperatorKind kind = OperatorKind::other;
  int instances = 1;
  int events = 1;  ///< kernels of an instance
  Nanos event_ns = 0;
  Nanos floor_ns = -1;  ///< of one instance; -1: unknown
  Bound bound = Bound::memory;
  std::string kernel = "kernel";
  std::string first_kernel = {};  ///< name of an instance's first kernel, where it differs
  double flops = -1;              ///< of all instances
  double sol_fraction = -1;
  std::string dtype = "bfloat16";
  bool fp32_matmul = false;
  Phase phase = Phase::forward;
};

/// A profile with a known answer: its trace, and the Explanation that goes with it.
struct MadeWorkload {
  Trace trace;
  Explanation explanation;

  Plan plan(const PlanOptions& options = {}) const {
    Analysis analysis = combine({analyze_trace(trace, attribute(trace), {}, explanation.bounds)});
    return make_plan({trace, explanation, std::move(analysis), ""}, options);
  }
};

/// The operators one after another on one stream, a launch every `host_ns`: longer kernels make a GPU-bound
/// step.
inline MadeWorkload made_of(const std::vector<MadeOperator>& operators, Nanos host_ns = 2'000) {
  TraceBuilder builder;
  MadeWorkload made;
  Explanation& explanation = made.explanation;
  Nanos call_ns = 0;
  Nanos free_ns = 0;
  std::uint32_t row = 0;
  for (const MadeOperator& each : operators) {
    OperatorGroup group;
    group.kind = each.kind;
    group.phase = each.phase;
    group.bound = each.bound;
    group.known_by = KnownBy::modelled;
    group.confidence_fraction = 1;
    group.dtype = each.dtype;
    group.top_op = each.kernel;
    group.kernels = {each.kernel};
    group.shapes = "[1,2048,4096]";
    group.flops = group.floor_flops = each.flops;
    group.floor_bytes = 1e6;
    group.sol_fraction = each.sol_fraction;
    group.fp32_matmul = each.fp32_matmul;
    group.floor_ns = each.floor_ns < 0 ? -1 : each.floor_ns * each.instances;
    for (int i = 0; i < each.instances; ++i) {
      OperatorInstance instance;
      instance.kind = each.kind;
      instance.phase = each.phase;
      instance.first_event = row;
      instance.event_count = static_cast<std::uint32_t>(each.events);
      instance.time_ns = each.event_ns * each.events;
      instance.group = static_cast<std::uint32_t>(explanation.groups.size());
      group.instances.push_back(static_cast<std::uint32_t>(explanation.instances.size()));
      explanation.instances.push_back(instance);
      for (int k = 0; k < each.events; ++k, ++row, call_ns += host_ns) {
        builder.launch(call_ns, host_ns / 2, row + 1);
        const Nanos start_ns = std::max(call_ns + host_ns / 2 + 2'000, free_ns + 1'000);
        const bool first = k == 0 && !each.first_kernel.empty();
        builder.kernel(first ? each.first_kernel : each.kernel, start_ns, each.event_ns, row + 1);
        free_ns = start_ns + each.event_ns;
        explanation.bounds.push_back(each.bound);
        explanation.known_by.push_back(KnownBy::modelled);
        explanation.instance_of_event.push_back(static_cast<std::uint32_t>(explanation.instances.size() - 1));
        explanation.instance_events.push_back(row);
      }
    }
    group.instance_count = each.instances;
    group.gpu_events = std::int64_t{each.instances} * each.events;
    group.time_ns = each.event_ns * group.gpu_events;
    group.bound_ns[static_cast<std::size_t>(each.bound)] = group.time_ns;
    explanation.gpu_time_ns += group.time_ns;
    explanation.groups.push_back(std::move(group));
  }
  for (OperatorGroup& group : explanation.groups)
    group.share_fraction = static_cast<double>(group.time_ns) / static_cast<double>(explanation.gpu_time_ns);
  made.trace = builder.done();
  explanation.coverage = {1, 1, 1, 0};
  explanation.gpu = find_gpu_of(made.trace);
  return made;
}

}  // namespace pagoda::testing
