// Who and what was profiled: versions, GPUs, processes, threads.
#include <algorithm>
#include <limits>
#include <numeric>

#include "readers/nsys/importer.h"

namespace pagoda::nsys {
namespace {

std::uint64_t positive(std::optional<std::int64_t> value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

int small(std::optional<std::int64_t> value) {
  return value && *value > 0 && *value <= std::numeric_limits<int>::max() ? static_cast<int>(*value) : 0;
}

}  // namespace

void Importer::read_export_metadata() {
  for (std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    Rows rows(database_, table, {"name", "value"});
    while (rows.next()) {
      const std::string_view name = rows.text(0).value_or("");
      if (name == "EXPORT_PRODUCT_VERSION") trace_.metadata["nsys_version"] = rows.text(1).value_or("");
      if (name == "EXPORT_SCHEMA_VERSION") trace_.metadata["nsys_schema"] = rows.text(1).value_or("");
    }
    finish(rows, table);
  }
}

void Importer::read_gpus() {
  Rows rows(database_, "TARGET_INFO_GPU",
            {"id", "name", "memoryBandwidth", "smCount", "clockRate", "l2CacheSize", "computeMajor",
             "computeMinor", "totalMemory", "threadsPerWarp", "maxShmemPerSm"});
  while (rows.next()) {
    if (!rows.integer(0)) continue;
    Device& device = trace_.devices[device_row(*rows.integer(0))];
    device.name = rows.text(1).value_or("");
    device.memory_bandwidth_bytes_per_s = positive(rows.integer(2));
    device.sm_count = small(rows.integer(3));
    device.clock_hz = positive(rows.integer(4));
    device.l2_bytes = positive(rows.integer(5));
    device.compute_major = small(rows.integer(6));
    device.compute_minor = small(rows.integer(7));
    device.total_memory_bytes = positive(rows.integer(8));
    device.warp_size = small(rows.integer(9));
    device.shared_memory_per_sm_bytes = positive(rows.integer(10));
  }
  finish(rows, "TARGET_INFO_GPU");
}

void Importer::read_cuda_ordinals() {
  Rows rows(database_, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "numMultiprocessors"});
  while (rows.next()) {
    const auto gpu = rows.integer(0);
    const auto ordinal = rows.integer(1);
    if (!gpu || !ordinal) continue;
    if (rows.integer(2)) physical_ids_[{*rows.integer(2), *ordinal}] = *gpu;
    Device& device = trace_.devices[device_row(*gpu)];
    if (device.sm_count == 0) device.sm_count = small(rows.integer(3));
  }
  finish(rows, "TARGET_INFO_CUDA_DEVICE");
}

void Importer::name_processes_and_threads() {
  Rows processes(database_, "PROCESSES", {"globalPid", "name"});
  while (processes.next()) {
    const auto found = process_rows_.find(processes.integer(0).value_or(0));
    if (found != process_rows_.end()) trace_.processes[found->second].name = processes.text(1).value_or("");
  }
  finish(processes, "PROCESSES");
  Rows threads(database_, "ThreadNames", {"globalTid", "nameId"});
  while (threads.next()) {
    const auto found = thread_rows_.find(threads.integer(0).value_or(0));
    if (found != thread_rows_.end())
      trace_.threads[found->second].name = trace_.text(string(threads.integer(1)));
  }
  finish(threads, "ThreadNames");
}

/// Reports list devices by id, whichever happened to work first.
void Importer::sort_devices() {
  std::vector<std::uint32_t> order(trace_.devices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return trace_.devices[a].id < trace_.devices[b].id; });
  std::vector<Device> sorted;
  std::vector<std::uint32_t> new_row(order.size());
  for (std::uint32_t row : order) {
    new_row[row] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(trace_.devices[row]));
  }
  trace_.devices = std::move(sorted);
  for (GpuEvent& event : trace_.gpu_events) event.device = new_row[event.device];
}

}  // namespace pagoda::nsys
