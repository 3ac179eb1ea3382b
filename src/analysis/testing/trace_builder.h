#pragma once
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace pagoda::testing {

/// Builds small traces in code: `TraceBuilder().op("aten::mm", 0, 50).launch(10, 2, 1).kernel("gemm", 20, 30,
/// 1).done()`.
class TraceBuilder {
 public:
  TraceBuilder() {
    trace_.format = "test";
    trace_.path = "made-up.json";
    trace_.processes.push_back({"100", "python"});
    thread("100");
    device(0, "NVIDIA H200");
  }

  TraceBuilder& thread(const std::string& tid) {
    trace_.threads.push_back({0, tid, {}});
    return *this;
  }
  TraceBuilder& device(std::int64_t id, const std::string& name) {
    Device row;
    row.id = id;
    row.name = name;
    trace_.devices.push_back(row);
    return *this;
  }
  TraceBuilder& rank(std::int64_t number, std::int64_t world) {
    trace_.rank = number;
    trace_.world_size = world;
    trace_.path = "rank" + std::to_string(number) + ".json";
    return *this;
  }

  TraceBuilder& kernel(std::string_view name, Nanos start_ns, Nanos duration_ns,
                       std::uint64_t correlation = 0, std::uint32_t stream = 7, std::uint32_t device = 0) {
    return gpu(GpuEventKind::kernel, name, start_ns, duration_ns, correlation, stream, device);
  }
  TraceBuilder& gpu(GpuEventKind kind, std::string_view name, Nanos start_ns, Nanos duration_ns,
                    std::uint64_t correlation = 0, std::uint32_t stream = 7, std::uint32_t device = 0) {
    GpuEvent event;
    event.kind = kind;
    event.name = trace_.strings.intern(name);
    event.start_ns = start_ns;
    event.duration_ns = duration_ns;
    event.correlation = correlation;
    event.stream = stream;
    event.device = device;
    trace_.gpu_events.push_back(event);
    return *this;
  }
  TraceBuilder& launch(Nanos start_ns, Nanos duration_ns, std::uint64_t correlation,
                       std::string_view name = "cudaLaunchKernel", std::uint32_t thread = 0) {
    Launch call;
    call.name = trace_.strings.intern(name);
    call.kind = classify_runtime_call(name);
    call.start_ns = start_ns;
    call.duration_ns = duration_ns;
    call.correlation = correlation;
    call.thread = thread;
    trace_.launches.push_back(call);
    return *this;
  }
  TraceBuilder& scope(ScopeKind kind, std::string_view name, Nanos start_ns, Nanos end_ns,
                      std::uint32_t thread = 0) {
    HostScope row;
    row.kind = kind;
    row.name = trace_.strings.intern(name);
    row.start_ns = start_ns;
    row.duration_ns = end_ns - start_ns;
    row.thread = thread;
    trace_.scopes.push_back(row);
    return *this;
  }
  TraceBuilder& op(std::string_view name, Nanos start_ns, Nanos end_ns, std::string_view dims = {},
                   std::string_view types = {}, std::uint32_t thread = 0) {
    scope(ScopeKind::op, name, start_ns, end_ns, thread);
    if (!dims.empty()) {
      OpArgs args;
      args.dims = trace_.strings.intern(dims);
      args.types = trace_.strings.intern(types);
      trace_.scopes.back().args = static_cast<std::uint32_t>(trace_.op_args.size());
      trace_.op_args.push_back(args);
    }
    return *this;
  }
  /// Marks the last scope as forward (thread 0) or backward op of autograd node `sequence`.
  TraceBuilder& autograd(std::int64_t sequence, std::uint64_t forward_thread) {
    trace_.scopes.back().autograd = static_cast<std::uint32_t>(trace_.autograd.size());
    trace_.autograd.push_back({sequence, forward_thread});
    return *this;
  }
  /// Gives the last scope the metadata of a collective.
  TraceBuilder& collective(std::string_view name, std::string_view dtype, std::int64_t elements,
                           std::int32_t group_size) {
    Collective row;
    row.name = trace_.strings.intern(name);
    row.dtype = trace_.strings.intern(dtype);
    row.in_elements = row.out_elements = elements;
    row.group_size = group_size;
    trace_.scopes.back().collective = static_cast<std::uint32_t>(trace_.collectives.size());
    trace_.collectives.push_back(row);
    return *this;
  }
  Trace& raw() { return trace_; }

  Trace done() {
    link(trace_);
    return std::move(trace_);
  }

 private:
  Trace trace_;
};

}  // namespace pagoda::testing
