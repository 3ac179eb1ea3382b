#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_pool.h"
#include "core/units.h"
#include "trace/diagnostics.h"

namespace pagoda {

/// One table row per event. Rows, not columns: every pass touches most fields of a row and sorts rows in
/// place (docs/decisions/0002-rows.md). Indices are 32-bit, kNone where there is nothing. Nothing is
/// mandatory: what a profile does not say is kNone, 0-with-a-flag or nullopt, and never a guess.

enum class GpuEventKind : std::uint8_t { kernel, memcpy, memset };

/// A kernel, copy or memset that ran on a device. Decided by the category of the event, never by its stream.
struct GpuEvent {
  Nanos start_ns = 0;
  Nanos duration_ns = 0;
  std::uint64_t correlation = 0;  ///< 0: the profile gave none
  StringId name = 0;              ///< demangled kernel name, or "Memcpy HtoD (Pageable -> Device)"
  std::uint32_t stream = 0;
  std::uint32_t device = kNone;   ///< row of Trace::devices
  std::uint32_t process = 0;      ///< row of Trace::processes; correlation ids are unique only within one
  std::uint32_t details = kNone;  ///< row of Trace::kernel_details
  std::uint32_t collective =
      kNone;                     ///< row of Trace::collectives when the event itself carries NCCL metadata
  std::uint32_t launch = kNone;  ///< row of Trace::launches; filled by link()
  GpuEventKind kind = GpuEventKind::kernel;

  Nanos end_ns() const { return start_ns + duration_ns; }
};

/// Launch configuration and transfer size, shared by every event that has the same.
struct KernelDetails {
  std::array<std::uint32_t, 3> grid{};   ///< 0 where unknown
  std::array<std::uint32_t, 3> block{};  ///< 0 where unknown
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_memory_bytes = 0;
  std::uint64_t bytes = 0;  ///< memcpy and memset size; 0 where unknown
  bool operator==(const KernelDetails&) const = default;
};

enum class RuntimeCallKind : std::uint8_t {
  kernel_launch,  ///< cudaLaunchKernel, ...ExC, cuLaunchKernel(Ex), cooperative, hip*
  graph_launch,   ///< cudaGraphLaunch, hipGraphLaunch, cuGraphLaunch
  memcpy,
  memset,
  synchronize,  ///< device, stream, event or context synchronise
  allocation,   ///< malloc, free, host allocation: may block
  other
};
/// By name, for CUDA and HIP, runtime and driver.
RuntimeCallKind classify_runtime_call(std::string_view name);

/// A call of the CUDA/HIP runtime or driver on the host.
struct Launch {
  Nanos start_ns = 0;
  Nanos duration_ns = 0;
  std::uint64_t correlation = 0;
  StringId name = 0;
  std::uint32_t thread = kNone;  ///< row of Trace::threads
  std::uint32_t process = 0;
  std::uint32_t scope = kNone;    ///< innermost row of Trace::scopes around its start; filled by link()
  std::uint32_t details = kNone;  ///< launch configuration when the call carries it (hipLaunchKernel)
  std::uint64_t external_id = 0;  ///< 0: none. Unreliable across versions: used only where correlation fails
  RuntimeCallKind kind = RuntimeCallKind::other;

  Nanos end_ns() const { return start_ns + duration_ns; }
};

enum class ScopeKind : std::uint8_t {
  op,          ///< cpu_op: aten::mm, autograd::engine::evaluate_function, triton_poi_fused_0
  annotation,  ///< record_function, NVTX range, ProfilerStep#N
  python,      ///< python_function of with_stack
  module,      ///< "nn.Module: LlamaMLP_0"
};

/// A stretch of host time with a name: an operator, an annotation, a python frame, a module.
struct HostScope {
  Nanos start_ns = 0;
  Nanos duration_ns = 0;
  std::uint64_t external_id = 0;
  StringId name = 0;
  std::uint32_t thread = kNone;
  std::uint32_t parent = kNone;    ///< enclosing row on the same thread; filled by link()
  std::uint32_t args = kNone;      ///< row of Trace::op_args
  std::uint32_t autograd = kNone;  ///< row of Trace::autograd
  std::uint32_t collective = kNone;
  ScopeKind kind = ScopeKind::op;

  Nanos end_ns() const { return start_ns + duration_ns; }
};

/// Arguments of an op as JSON text, interned: equal calls share one row. Empty string: not recorded.
struct OpArgs {
  StringId dims = 0;      ///< "Input Dims" / "Input dims", e.g. [[1,4096],[4096,4096],[]]
  StringId types = 0;     ///< "Input type", e.g. ["c10::BFloat16","c10::BFloat16","Scalar"]
  StringId strides = 0;   ///< "Input Strides"
  StringId concrete = 0;  ///< "Concrete Inputs"
  StringId kernel = 0;    ///< Inductor/Triton metadata {"kernel_backend":..,"kernel_file":..,"num_warps":..}
  bool operator==(const OpArgs&) const = default;
};

/// Links a backward op with its forward op.
struct Autograd {
  std::int64_t sequence_number = -1;
  std::uint64_t forward_thread = 0;  ///< profiler's own thread number, 0 on the forward op itself
};

/// Metadata of one collective (record_param_comms or the NCCL kernel's own arguments).
struct Collective {
  StringId name = 0;              ///< "allreduce", "all_gather_into_tensor_coalesced", ...
  StringId dtype = 0;             ///< "BFloat16"
  StringId group = 0;             ///< process group name
  std::int64_t in_elements = -1;  ///< -1: unknown
  std::int64_t out_elements = -1;
  std::int32_t group_size = -1;
  bool operator==(const Collective&) const = default;
};

/// An annotation projected onto a GPU stream (gpu_user_annotation).
struct GpuAnnotation {
  Nanos start_ns = 0;
  Nanos duration_ns = 0;
  StringId name = 0;
  std::uint32_t device = kNone;
  std::uint32_t stream = 0;
};

/// The two ends of a fwdbwd flow, by the position of the op that holds each.
struct ForwardBackward {
  Nanos forward_ns = 0;
  Nanos backward_ns = 0;
  std::uint32_t forward_thread = kNone;
  std::uint32_t backward_thread = kNone;
};

struct Process {
  std::string pid;  ///< as the profile spells it
  std::string name;
};

struct Thread {
  std::uint32_t process = 0;
  std::string tid;  ///< as the profile spells it: usually a number, "PyTorch Profiler" in old traces
  std::string name;
};

/// 0 or empty: the profile does not say.
struct Device {
  std::int64_t id = 0;
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  int warp_size = 0;
  std::uint64_t total_memory_bytes = 0;
  std::uint64_t memory_bandwidth_bytes_per_s = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t clock_hz = 0;
  std::uint64_t shared_memory_per_sm_bytes = 0;
  // Peak of the allocator while the profile ran, from memory events; -1 unknown.
  std::int64_t peak_allocated_bytes = -1;
  std::int64_t peak_reserved_bytes = -1;
};

/// Hardware counters of one kernel launch, from Nsight Compute.
struct KernelCounters {
  StringId name = 0;  ///< demangled as Nsight Compute prints it
  KernelDetails details;
  std::uint32_t order = 0;                ///< position among the launches of the report
  std::string device_cc;                  ///< "9.0"
  std::map<std::string, double> metrics;  ///< base units (bytes, ns, hz, %), keyed by metric name as printed
};

/// One profile in memory: what one file (one process or one rank, or one Nsight Systems session) recorded.
struct Trace {
  std::string path;
  std::string format;               ///< "kineto", "nsys", "ncu"
  std::uint64_t content_bytes = 0;  ///< after decompression
  std::uint64_t event_count = 0;    ///< every event seen, kept or not
  bool truncated = false;

  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world_size;
  std::map<std::string, std::string>
      metadata;  ///< versions and flags the profile states (cuda_runtime_version...)
  std::map<std::string, std::uint64_t>
      other_categories;  ///< events of categories that are none of the tables

  StringPool strings;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<GpuEvent> gpu_events;  ///< sorted by (device, start, end, name, stream) after link()
  std::vector<Launch> launches;      ///< sorted by (thread, start, -end) after link()
  std::vector<HostScope> scopes;     ///< sorted by (thread, start, -end) after link(): parents come first
  std::vector<GpuAnnotation> gpu_annotations;
  std::vector<KernelDetails> kernel_details;
  std::vector<OpArgs> op_args;
  std::vector<Autograd> autograd;
  std::vector<Collective> collectives;
  std::vector<ForwardBackward> forward_backward;
  std::vector<KernelCounters> counters;
  Diagnostics diagnostics;

  std::string_view text(StringId id) const { return strings.view(id); }
};

/// Sorts the tables, nests scopes (parent), puts each launch in its innermost scope and each GPU event at its
/// launch (correlation within its process, never flow events). Every reader calls it once, last. Complexity
/// O(n log n). Missing links stay kNone.
void link(Trace& trace);

}  // namespace pagoda
