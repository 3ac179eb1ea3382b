// What the devices did: kernels, copies, memsets and whole graphs.
#include <limits>

#include "readers/nsys/copy_names.h"
#include "readers/nsys/importer.h"

namespace pagoda::nsys {
namespace {

std::uint32_t small(std::optional<std::int64_t> value) {
  const bool fits = value && *value > 0 && *value <= std::numeric_limits<std::uint32_t>::max();
  return fits ? static_cast<std::uint32_t>(*value) : 0;
}

std::uint64_t positive(std::optional<std::int64_t> value) {
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

}  // namespace

/// Columns 0 to 5 of every query below: start, end, deviceId, streamId, correlationId, globalPid.
std::optional<GpuEvent> Importer::gpu_event(const Rows& rows, std::string_view table) {
  seen();
  const auto time = time_of(rows, table, TimeRule::gpu);
  if (!time) return std::nullopt;
  if (!rows.integer(2)) {
    trace_.diagnostics.add("missing_device", {}, table);
    return std::nullopt;
  }
  GpuEvent event;
  event.start_ns = time->start_ns;
  event.duration_ns = time->duration_ns;
  event.process = process_of(rows.integer(5));
  event.device = device_of(*rows.integer(2), event.process);
  event.stream = small(rows.integer(3));
  event.correlation = static_cast<std::uint64_t>(rows.integer(4).value_or(0));
  return event;
}

std::uint32_t Importer::details_row(const KernelDetails& details) {
  if (details == KernelDetails{}) return kNone;
  const auto [found, fresh] =
      details_rows_.try_emplace(details, static_cast<std::uint32_t>(trace_.kernel_details.size()));
  if (fresh) trace_.kernel_details.push_back(details);
  return found->second;
}

void Importer::read_kernels() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!database_.has_table(kTable)) {
    trace_.diagnostics.add("no_kernel_table", {},
                           "the export holds no kernels: was CUDA traced (--trace=cuda)?");
    return;
  }
  Rows rows(database_, kTable,
            {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName",
             "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
             "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"});
  while (rows.next()) {
    auto event = gpu_event(rows, kTable);
    if (!event) continue;
    for (int column = 6; column <= 8 && event->name == 0; ++column)
      event->name = string(rows.integer(column));
    KernelDetails details;
    for (int axis = 0; axis < 3; ++axis) {
      details.grid[static_cast<std::size_t>(axis)] = small(rows.integer(9 + axis));
      details.block[static_cast<std::size_t>(axis)] = small(rows.integer(12 + axis));
    }
    details.registers_per_thread = small(rows.integer(15));
    details.shared_memory_bytes = small(rows.integer(16)) + small(rows.integer(17));
    event->details = details_row(details);
    trace_.gpu_events.push_back(*event);
  }
  finish(rows, kTable);
}

void Importer::read_memcpy() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_MEMCPY";
  const CopyNames names(database_);
  Rows rows(database_, kTable,
            {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "copyKind", "srcKind",
             "dstKind", "bytes"});
  while (rows.next()) {
    auto event = gpu_event(rows, kTable);
    if (!event) continue;
    event->kind = GpuEventKind::memcpy;
    event->name = trace_.strings.intern(names.memcpy(rows.integer(6), rows.integer(7), rows.integer(8)));
    event->details = details_row({.bytes = positive(rows.integer(9))});
    trace_.gpu_events.push_back(*event);
  }
  finish(rows, kTable);
}

void Importer::read_memset() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_MEMSET";
  const CopyNames names(database_);
  Rows rows(database_, kTable,
            {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "memKind", "bytes"});
  while (rows.next()) {
    auto event = gpu_event(rows, kTable);
    if (!event) continue;
    event->kind = GpuEventKind::memset;
    event->name = trace_.strings.intern(names.memset(rows.integer(6)));
    event->details = details_row({.bytes = positive(rows.integer(7))});
    trace_.gpu_events.push_back(*event);
  }
  finish(rows, kTable);
}

/// With --cuda-graph-trace=graph (the default) the kernels of a graph are not recorded, only one stretch per
/// launch. The device was busy then, with kernels that are not known: one kernel row named after the graph,
/// and a count.
void Importer::read_whole_graphs() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  Rows rows(database_, kTable,
            {"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId", "graphExecId"});
  while (rows.next()) {
    auto event = gpu_event(rows, kTable);
    if (!event) continue;
    const auto id = rows.integer(6) ? rows.integer(6) : rows.integer(7);
    event->name = trace_.strings.intern(id ? "CUDA graph " + std::to_string(*id) : "CUDA graph");
    trace_.gpu_events.push_back(*event);
    trace_.diagnostics.add("graph_not_expanded", {},
                           "kernels inside CUDA graphs were not recorded: use --cuda-graph-trace=node");
  }
  finish(rows, kTable);
}

}  // namespace pagoda::nsys
