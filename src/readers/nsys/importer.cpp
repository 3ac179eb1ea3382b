#include "readers/nsys/importer.h"

#include <algorithm>

namespace pagoda::nsys {
namespace {

// A global id packs hardware (8 bits), virtual machine (8), process (24) and thread (24). Two processes of
// two virtual machines may share a pid, so rows are keyed by the whole.
constexpr std::int64_t kThreadMask = 0xFFFFFF;
std::int64_t global_pid_of(std::int64_t global_id) { return global_id & ~kThreadMask; }
std::int64_t pid_of(std::int64_t global_id) { return (global_id >> 24) & 0xFFFFFF; }

constexpr std::int64_t kUnknownProcess = -1;

// Far beyond any clock (146 years), and small enough that spans and sums of a few never overflow.
constexpr std::int64_t kLatestTime = std::int64_t{1} << 62;
bool is_sane(std::int64_t time_ns) { return time_ns <= kLatestTime && time_ns >= -kLatestTime; }

}  // namespace

Importer::Importer(const Database& database, Trace& trace, const ReadOptions& options,
                   std::uint64_t total_bytes)
    : database_(database),
      trace_(trace),
      options_(options),
      total_bytes_(total_bytes),
      string_lookup_(database, "StringIds", {"value"}, "id") {}

void Importer::run() {
  read_export_metadata();
  read_gpus();
  read_cuda_ordinals();
  // Host calls first: an export whose GPU tables carry no process gets it from here when there is only one.
  read_api_calls("CUPTI_ACTIVITY_KIND_RUNTIME");
  read_api_calls("CUPTI_ACTIVITY_KIND_DRIVER");
  read_nvtx_domains();
  read_nvtx();
  read_kernels();
  read_memcpy();
  read_memset();
  read_whole_graphs();
  count_only("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "cuda_sync");
  count_only("CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_event");
  count_only("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead");
  name_processes_and_threads();
  sort_devices();
  if (options_.progress) options_.progress(total_bytes_, total_bytes_);
}

void Importer::finish(const Rows& rows, std::string_view table) {
  if (rows.damage().empty()) return;
  trace_.truncated = true;
  trace_.diagnostics.add("damaged_table", {}, std::string(table) + ": " + rows.damage());
}

void Importer::seen() {
  constexpr std::uint64_t kEventsPerReport = 1 << 16;
  if (++trace_.event_count % kEventsPerReport == 0 && options_.progress) {
    options_.progress(std::min(database_.bytes_read(), total_bytes_), total_bytes_);
  }
}

/// Start and end are columns 0 and 1 of every event query.
std::optional<Importer::Time> Importer::time_of(const Rows& rows, std::string_view table, TimeRule rule) {
  const auto reject = [&](std::string_view kind) {
    trace_.diagnostics.add(kind, {}, table);
    return std::nullopt;
  };
  const auto start = rows.integer(0);
  const auto end = rule == TimeRule::mark ? start : rows.integer(1);
  if (!start || !end) return reject("missing_time");
  if (!is_sane(*start) || !is_sane(*end)) return reject("time_out_of_range");
  if (*end < *start) return reject("negative_duration");
  if (rule == TimeRule::gpu && *end == *start) return reject("zero_duration");
  // Time 0 is the start of the session, before any GPU work can be: the record was never filled in.
  if (rule == TimeRule::gpu && *start == 0) return reject("zero_timestamp");
  return Time{*start, *end - *start};
}

StringId Importer::string(std::optional<std::int64_t> id) {
  if (!id) return 0;
  const auto known = string_ids_.find(*id);
  if (known != string_ids_.end()) return known->second;
  if (!database_.is_row_id("StringIds", "id")) {
    load_all_strings();
    return string_ids_.emplace(*id, 0).first->second;
  }
  // Only strings in use are fetched: the table also holds source files and program output.
  string_lookup_.bind(*id);
  StringId text = 0;
  if (string_lookup_.next()) {
    text = trace_.strings.intern(string_lookup_.text(0).value_or(""));
  } else if (!string_lookup_.damage().empty()) {
    finish(string_lookup_, "StringIds");
  } else {
    trace_.diagnostics.add("unknown_string", {}, "StringIds has no id " + std::to_string(*id));
  }
  return string_ids_.emplace(*id, text).first->second;
}

void Importer::load_all_strings() {
  if (std::exchange(strings_loaded_, true)) return;
  Rows rows(database_, "StringIds", {"id", "value"});
  while (rows.next()) {
    if (rows.integer(0))
      string_ids_.emplace(*rows.integer(0), trace_.strings.intern(rows.text(1).value_or("")));
  }
  finish(rows, "StringIds");
}

std::uint32_t Importer::process_of(std::optional<std::int64_t> global_id) {
  if (!global_id && trace_.processes.size() == 1) return 0;  // the only one there is
  const std::int64_t key = global_id ? global_pid_of(*global_id) : kUnknownProcess;
  const auto [found, fresh] =
      process_rows_.try_emplace(key, static_cast<std::uint32_t>(trace_.processes.size()));
  if (fresh) {
    trace_.processes.push_back({global_id ? std::to_string(pid_of(*global_id)) : "", ""});
    pids_.push_back(global_id ? pid_of(*global_id) : kUnknownProcess);
  }
  return found->second;
}

std::uint32_t Importer::thread_of(std::optional<std::int64_t> global_id) {
  if (!global_id) return kNone;
  const std::uint32_t process = process_of(global_id);
  const auto [found, fresh] =
      thread_rows_.try_emplace(*global_id, static_cast<std::uint32_t>(trace_.threads.size()));
  if (fresh) trace_.threads.push_back({process, std::to_string(*global_id & kThreadMask), ""});
  return found->second;
}

/// A process numbers the devices it may see from 0 (CUDA_VISIBLE_DEVICES); the export tells which GPU each
/// is.
std::uint32_t Importer::device_of(std::int64_t device_id, std::uint32_t process) {
  const auto physical = physical_ids_.find({pids_[process], device_id});
  if (physical != physical_ids_.end()) return device_row(physical->second);
  return device_row(device_id);
}

std::uint32_t Importer::device_row(std::int64_t physical_id) {
  const auto [found, fresh] =
      device_rows_.try_emplace(physical_id, static_cast<std::uint32_t>(trace_.devices.size()));
  if (fresh) {
    trace_.devices.emplace_back();
    trace_.devices.back().id = physical_id;
  }
  return found->second;
}

std::size_t Importer::HashDetails::operator()(const KernelDetails& details) const {
  std::uint64_t hash = details.bytes;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29); };
  for (std::uint32_t size : details.grid) mix(size);
  for (std::uint32_t size : details.block) mix(size);
  mix(details.registers_per_thread);
  mix(details.shared_memory_bytes);
  return hash;
}

}  // namespace pagoda::nsys
