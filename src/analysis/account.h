#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/intervals.h"
#include "trace/trace.h"

namespace pagoda {

/// The account: every nanosecond of a device's window in exactly one bucket.
enum class Bucket : std::uint8_t {
  compute_bound,          ///< kernels limited by arithmetic
  memory_bound,           ///< kernels limited by DRAM
  latency_bound,          ///< kernels too small to fill the GPU
  unclassified,           ///< kernels of unknown bound
  exposed_communication,  ///< a collective runs and no other kernel does
  exposed_copy,           ///< only memcpy or memset runs
  idle_launch,            ///< the next kernel's launch call began or ended after the GPU went idle
  idle_sync,              ///< host inside a synchronise, a blocking copy, an .item()
  idle_host,              ///< host elsewhere: python, data loading
  idle_unknown,           ///< no host events to tell
};
inline constexpr std::size_t kBucketCount = 10;
inline constexpr std::size_t kBusyBuckets = 6;  ///< the first six; the rest is idle
/// "compute_bound", "idle_launch"...: the names in JSON and CSV.
std::string_view bucket_name(Bucket bucket);

/// Why a kernel takes the time it takes.
enum class Bound : std::uint8_t { compute, memory, latency, communication, unknown };
std::string_view bound_name(Bound bound);

enum class Phase : std::uint8_t { forward, backward, optimizer, communication, unknown };
std::string_view phase_name(Phase phase);

/// How a kernel's operator is known, best first.
enum class Attributed : std::uint8_t {
  correlation,     ///< through its launch call to the op around it
  external_id,     ///< the launch has no op around it, its external id names one
  graph,           ///< replayed by a graph launch: named by kernel only
  launch_only,     ///< a launch call but no op around it (a bare CUDA program, a worker thread)
  before_capture,  ///< launched before the profiler started
  none             ///< no launch event at all
};
std::string_view attributed_name(Attributed how);

struct CountsByKind {
  std::int64_t compute = 0;
  std::int64_t communication = 0;
  std::int64_t memcpy = 0;
  std::int64_t memset = 0;
  bool operator==(const CountsByKind&) const = default;
};

struct StreamAccount {
  std::uint32_t stream = 0;
  std::int64_t events = 0;
  Nanos busy_ns = 0;          ///< union on this stream
  std::int64_t overlaps = 0;  ///< events that start before the previous one of the stream ended (PDL)
  Nanos worst_overlap_ns = 0;
};

/// One device of one rank. All sums are exact.
struct DeviceAccount {
  std::int64_t rank = 0;
  std::int64_t device = 0;  ///< as the profile numbers it
  std::string name;
  std::string file;
  std::string window_label;  ///< "all", "step", "annotation:NAME"
  Nanos start_ns = 0;        ///< first instant of the window, in the profile's clock
  Nanos window_ns = 0;
  Nanos busy_ns = 0;
  Nanos idle_ns = 0;
  Nanos compute_ns = 0;                   ///< union of kernels that are not collectives
  Nanos communication_ns = 0;             ///< union of collectives
  Nanos exposed_communication_ns = 0;     ///< collectives with no other kernel beside them
  Nanos overlapped_communication_ns = 0;  ///< collectives under another kernel
  Nanos exposed_copy_ns = 0;              ///< copies and memsets with no kernel beside them
  Nanos without_launch_ns = 0;            ///< sum of durations of GPU events with no launch event
  Nanos launched_before_capture_ns = 0;   ///< of these, the contiguous head of the profile
  Nanos unattributed_ns =
      0;               ///< sum of durations of kernels with no operator known, other than graph replays
  Nanos graph_ns = 0;  ///< sum of durations of events launched by a graph launch
  std::int64_t without_launch_count = 0;
  std::int64_t launched_before_capture_count = 0;
  std::int64_t graph_count = 0;
  CountsByKind counts;
  CountsByKind kernel_sum_ns;  ///< sums of durations (overlaps counted twice), by kind
  std::array<Nanos, kBucketCount> buckets_ns{};
  bool idle_unreliable = false;  ///< graph replay: gaps between replayed kernels may be artefacts
  std::vector<StreamAccount> streams;
  std::int64_t peak_allocated_bytes = -1;
  std::int64_t peak_reserved_bytes = -1;

  Nanos window_minus_buckets_ns() const;  ///< 0, or Pagoda is wrong
  Nanos busy_minus_buckets_ns() const;    ///< 0, or Pagoda is wrong
};

/// GPU time of one operator with one set of argument shapes.
struct OperatorRow {
  std::string name;        ///< "aten::mm", or the kernel's name where no op is known
  std::string shapes;      ///< "[1,4096] [4096,11008]", empty where not recorded
  std::string dtypes;      ///< "bfloat16 bfloat16"
  std::string module;      ///< nearest nn.Module around it, when all calls agree
  std::string annotation;  ///< nearest user annotation, when all calls agree
  std::string python;      ///< nearest python frame, when all calls agree
  Phase phase = Phase::unknown;
  Attributed how = Attributed::none;
  Nanos time_ns = 0;       ///< sum of its GPU events' durations
  std::int64_t calls = 0;  ///< op calls that reached the GPU (kernels, where no op is known)
  std::int64_t gpu_events = 0;
  std::array<Nanos, 5> bound_ns{};  ///< split of time_ns by Bound
  std::string top_kernel;
};

/// Kernels replayed by one kind of graph launch: grouped by the sequence of kernels in it.
struct GraphRow {
  std::string launch_call;  ///< "cudaGraphLaunch"
  std::int64_t launches = 0;
  std::int64_t gpu_events = 0;
  Nanos time_ns = 0;
  struct Kernel {
    std::string name;
    std::int64_t calls = 0;
    Nanos time_ns = 0;
  };
  std::vector<Kernel> kernels;  ///< by time, longest first
};

/// Collectives of one kind, message size and group.
struct CollectiveRow {
  std::string name;  ///< "allreduce"
  std::string dtype;
  std::string group;
  std::int64_t elements = -1;  ///< the larger of in and out; -1 unknown
  std::int64_t group_size = -1;
  std::int64_t calls = 0;
  Nanos time_ns = 0;
  Nanos median_ns = 0;
  Nanos p99_ns = 0;
  double algorithm_bytes_per_s = -1;  ///< median; -1 unknown
  double bus_bytes_per_s = -1;
  Nanos median_skew_ns =
      -1;  ///< last arrival minus first, across ranks; -1: one rank, or clocks not comparable
  Nanos max_skew_ns = -1;
  std::int64_t edge_calls = 0;  ///< calls left out of the statistics: skew at the edge of the capture
};

/// One collective call of one rank: what crosses from the per-file account to the combined one.
struct CollectiveCall {
  std::string name;
  std::string dtype;
  std::string group;
  std::int64_t in_elements = -1;
  std::int64_t out_elements = -1;
  std::int64_t group_size = -1;
  std::int64_t rank = 0;
  Nanos start_ns = 0;
  Nanos end_ns = 0;
};

struct IdleCause {
  Bucket bucket = Bucket::idle_unknown;
  std::string what;  ///< "cudaStreamSynchronize in aten::item", "launch of aten::mul"
  Nanos time_ns = 0;
  std::int64_t gaps = 0;
};

struct FileSummary {
  std::string path;
  std::string format;
  std::uint64_t content_bytes = 0;
  std::uint64_t events = 0;
  bool truncated = false;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> world_size;
  std::map<std::string, std::uint64_t> other_categories;
};

struct Straggler {
  std::int64_t rank = 0;
  std::string why;
};

/// Result of `pagoda analyze`, rendered by report/*. Deterministic: rows are in their final order.
struct Analysis {
  std::vector<FileSummary> files;
  std::vector<DeviceAccount> devices;  ///< by rank, then device
  std::vector<OperatorRow> operators;  ///< by time, longest first; nothing is dropped
  std::vector<GraphRow> graphs;
  std::vector<CollectiveRow> collectives;
  std::vector<IdleCause> idle_causes;  ///< by time
  std::vector<Straggler> stragglers;
  std::vector<KernelCounters> counters;    ///< of Nsight Compute reports, in file order
  std::vector<std::string> counter_names;  ///< kernel name of each row of counters
  Diagnostics diagnostics;
  std::vector<std::string> warnings;  ///< sentences a reader must see: ranks missing, idle unreliable...
  std::int64_t steps = 0;             ///< ProfilerStep (or the repeated top annotation) count; 0 unknown
};

}  // namespace pagoda
