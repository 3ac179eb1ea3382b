#include "readers/kineto/builder.h"

#include <algorithm>

#include "readers/kineto/numbers.h"

namespace pagoda::kineto {
namespace {

constexpr std::size_t kThreadMemos = 4;
/// Concrete inputs are kept for the arguments that are not tensors; a list longer than this is data.
constexpr std::size_t kLongestConcreteInputs = 2048;

std::size_t mix(std::size_t seed, std::uint64_t value) {
  return (seed ^ value) * 0x9E3779B97F4A7C15ull + (seed >> 29);
}

std::uint32_t small(std::optional<std::int64_t> value) {
  return value && *value >= 0 && *value < kNone ? static_cast<std::uint32_t>(*value) : 0;
}

char phase_of(const Event& event) { return event.phase.text.size() == 1 ? event.phase.text[0] : '\0'; }

}  // namespace

std::size_t Builder::DetailsHash::operator()(const KernelDetails& row) const {
  std::size_t seed = mix(row.registers_per_thread, row.shared_memory_bytes);
  for (auto n : row.grid) seed = mix(seed, n);
  for (auto n : row.block) seed = mix(seed, n);
  return mix(seed, row.bytes);
}
std::size_t Builder::OpArgsHash::operator()(const OpArgs& row) const {
  return mix(mix(mix(mix(row.dims, row.types), row.strides), row.concrete), row.kernel);
}
std::size_t Builder::CollectiveHash::operator()(const Collective& row) const {
  std::size_t seed = mix(mix(row.name, row.dtype), row.group);
  seed = mix(mix(seed, static_cast<std::uint64_t>(row.in_elements)),
             static_cast<std::uint64_t>(row.out_elements));
  return mix(seed, static_cast<std::uint64_t>(row.group_size));
}

template <typename Row, typename Hash>
std::uint32_t Builder::share(std::unordered_map<Row, std::uint32_t, Hash>& known, std::vector<Row>& rows,
                             const Row& row) {
  if (row == Row{}) return kNone;
  const auto [found, added] = known.emplace(row, static_cast<std::uint32_t>(rows.size()));
  if (added) rows.push_back(row);
  return found->second;
}

Builder::Builder(Trace& trace) : trace_(trace), compact_json_(1, 0) { memo_.resize(kThreadMemos); }

void Builder::add(const Event& event) {
  const std::uint64_t offset = event.offset;
  ++trace_.event_count;
  note_oddities(event, offset);
  const Category category = categories_.count(event.category.text);
  switch (const char phase = phase_of(event)) {
    case 'X': return complete(event, category, offset);
    case 's':
    case 'f':
      if (category == Category::forward_backward) flow(event, phase, offset);
      return;
    case 'i':
    case 'I':
      if (category == Category::memory || event.name.text == "[memory]") memory(event);
      return;
    case 'M': return metadata(event);
    case 'C': ++trace_.other_categories["(counter)"]; return;
    case 'B':
    case 'E':
      // No exporter of PyTorch writes pairs; what they would mean to the account is not known.
      trace_.diagnostics.add("begin_end_event", offset, event.name.text);
      return;
    default:
      if (!event.phase) trace_.diagnostics.add("event_without_phase", offset, event.name.text.substr(0, 80));
  }
}

void Builder::complete(const Event& event, Category category, std::uint64_t offset) {
  if (category == Category::none) {
    // torch before 1.8: a bare list without categories, told apart by the process's name.
    if (event.pid.text == "CPU functions")
      category = Category::op;
    else if (event.pid.text == "CUDA functions")
      category = Category::kernel;
    else
      ++trace_.other_categories["(none)"];
  }
  if (category == Category::none || category == Category::other) return;
  const auto time = time_of(event, offset);
  if (!time) return;
  switch (category) {
    case Category::kernel: return gpu_event(event, GpuEventKind::kernel, *time, offset);
    case Category::memcpy: return gpu_event(event, GpuEventKind::memcpy, *time, offset);
    case Category::memset: return gpu_event(event, GpuEventKind::memset, *time, offset);
    case Category::runtime: return runtime_call(event, *time);
    case Category::op: return scope(event, ScopeKind::op, *time);
    case Category::annotation: return scope(event, ScopeKind::annotation, *time);
    case Category::gpu_annotation: return gpu_annotation(event, *time, offset);
    case Category::python:
      return scope(event, event.name.text.starts_with("nn.Module: ") ? ScopeKind::module : ScopeKind::python,
                   *time);
    default: return;
  }
}

std::optional<Builder::Time> Builder::time_of(const Event& event, std::uint64_t offset) {
  const auto reject = [&](std::string_view kind) {
    trace_.diagnostics.add(kind, offset, event.name.text.substr(0, 80));
    return std::nullopt;
  };
  const auto is_number = [](const Value& value) {
    return value.kind == ValueKind::number || value.kind == ValueKind::string;
  };
  if (!is_number(event.time) || !is_number(event.duration)) return reject("missing_time");
  const auto start = nanos_of_micros(event.time.text);
  const auto duration = nanos_of_micros(event.duration.text);
  // Half of what 64 bits hold: sums and differences of two times can't overflow.
  constexpr Nanos kFarthest = Nanos{1} << 62;
  const auto fits = [](Nanos time) { return time > -kFarthest / 2 && time < kFarthest / 2; };
  if (!start || !duration || !fits(*start) || !fits(*duration)) return reject("time_out_of_range");
  if (*duration < 0) return reject("negative_duration");
  return Time{*start, *duration};
}

void Builder::gpu_event(const Event& event, GpuEventKind kind, Time time, std::uint64_t offset) {
  GpuEvent row;
  row.start_ns = time.start_ns;
  row.duration_ns = time.duration_ns;
  row.kind = kind;
  row.name = text(event.name);
  row.device = device(event);
  if (row.device == kNone) {
    trace_.diagnostics.add("missing_device", offset, event.name.text.substr(0, 80));
    row.device = device_row(-1);
  }
  row.stream = small(integer_of(event.arg(Arg::stream)));
  row.correlation = id_of(event.arg(Arg::correlation)).value_or(0);
  row.details = details(event);
  row.collective = collective(event);
  if (time.duration_ns == 0) trace_.diagnostics.add("zero_duration", offset, event.name.text.substr(0, 80));
  if (time.start_ns == 0 && zero_timestamps_++ == 0) first_zero_timestamp_ = offset;
  trace_.gpu_events.push_back(row);
}

void Builder::gpu_annotation(const Event& event, Time time, std::uint64_t offset) {
  const std::uint32_t on = device(event);
  if (on == kNone) trace_.diagnostics.add("missing_device", offset, event.name.text.substr(0, 80));
  const auto stream = integer_of(event.arg(Arg::stream) ? event.arg(Arg::stream) : event.tid);
  trace_.gpu_annotations.push_back({time.start_ns, time.duration_ns, text(event.name), on, small(stream)});
}

void Builder::runtime_call(const Event& event, Time time) {
  Launch row;
  row.start_ns = time.start_ns;
  row.duration_ns = time.duration_ns;
  row.name = text(event.name);
  row.kind = classify_runtime_call(trace_.text(row.name));
  row.correlation = id_of(event.arg(Arg::correlation)).value_or(0);
  row.external_id = id_of(event.arg(Arg::external_id)).value_or(0);
  row.thread = thread(event.pid, event.tid);
  row.details = details(event);
  trace_.launches.push_back(row);
}

void Builder::scope(const Event& event, ScopeKind kind, Time time) {
  HostScope row;
  row.start_ns = time.start_ns;
  row.duration_ns = time.duration_ns;
  row.kind = kind;
  row.name = text(event.name);
  row.thread = thread(event.pid, event.tid);
  if (kind == ScopeKind::op || kind == ScopeKind::annotation) {
    row.external_id = id_of(event.arg(Arg::external_id)).value_or(0);
    row.args = op_args(event);
    row.collective = collective(event);
    if (const auto sequence = integer_of(event.arg(Arg::sequence_number)); sequence && *sequence >= 0) {
      row.autograd = static_cast<std::uint32_t>(trace_.autograd.size());
      trace_.autograd.push_back({*sequence, id_of(event.arg(Arg::forward_thread)).value_or(0)});
    }
  }
  trace_.scopes.push_back(row);
}

void Builder::memory(const Event& event) {
  constexpr std::int64_t kCuda = 1;
  if (integer_of(event.arg(Arg::device_type)) != kCuda) return;
  const auto id = integer_of(event.arg(Arg::device_id));
  if (!id || *id < 0) return;
  Device& on = trace_.devices[device_row(*id)];
  on.peak_allocated_bytes =
      std::max(on.peak_allocated_bytes, integer_of(event.arg(Arg::total_allocated)).value_or(-1));
  on.peak_reserved_bytes =
      std::max(on.peak_reserved_bytes, integer_of(event.arg(Arg::total_reserved)).value_or(-1));
}

void Builder::flow(const Event& event, char phase, std::uint64_t offset) {
  const auto id = id_of(event.id);
  const auto at = nanos_of_micros(event.time.text);
  if (!id || !at) return trace_.diagnostics.add("missing_time", offset, "fwdbwd");
  const FlowEnd end{*at, thread(event.pid, event.tid), phase == 's'};
  const auto [found, first] = flows_.emplace(*id, end);
  if (first) return;
  if (found->second.forward == end.forward) {
    found->second = end;  // the same end twice: the later one counts
    return;
  }
  const FlowEnd& forward = end.forward ? end : found->second;
  const FlowEnd& backward = end.forward ? found->second : end;
  trace_.forward_backward.push_back({forward.at_ns, backward.at_ns, forward.thread, backward.thread});
  flows_.erase(found);
}

void Builder::metadata(const Event& event) {
  const Value name = event.arg(Arg::name);
  if (!name.is_string()) return;
  if (event.name.text == "process_name") process_names_[std::string(event.pid.text)] = text(name);
  if (event.name.text == "thread_name")
    thread_names_[{std::string(event.pid.text), std::string(event.tid.text)}] = text(name);
}

void Builder::note_oddities(const Event& event, std::uint64_t offset) {
  const auto note = [&](bool odd, std::string_view kind) {
    if (odd) trace_.diagnostics.add(kind, offset, event.name.text.substr(0, 80));
  };
  note(event.oddities.control_character, "control_character");
  note(event.oddities.raw_quote, "raw_quote");
  note(event.oddities.bad_escape, "bad_escape");
}

void Builder::finish() {
  drop_zero_timestamps();
  for (const auto& [name, events] : categories_.others()) trace_.other_categories[name] += events;
  for (Process& process : trace_.processes) {
    const auto name = process_names_.find(process.pid);
    if (name != process_names_.end()) process.name = trace_.text(name->second);
  }
  for (Thread& row : trace_.threads) {
    const auto name = thread_names_.find({trace_.processes[row.process].pid, row.tid});
    if (name != thread_names_.end()) row.name = trace_.text(name->second);
  }
  // Kernels name no process: all of a file's belong to the one that recorded it.
  if (trace_.processes.empty()) trace_.processes.push_back({});
}

/// Time 0 in a trace whose other GPU work is much later was never filled in by the profiler.
void Builder::drop_zero_timestamps() {
  if (zero_timestamps_ == 0) return;
  constexpr Nanos kLater = 1'000'000'000;
  Nanos first_ns = std::numeric_limits<Nanos>::max();
  for (const GpuEvent& event : trace_.gpu_events) {
    if (event.start_ns > 0) first_ns = std::min(first_ns, event.start_ns);
  }
  if (first_ns == std::numeric_limits<Nanos>::max() || first_ns < kLater) return;
  std::erase_if(trace_.gpu_events, [](const GpuEvent& event) { return event.start_ns == 0; });
  trace_.diagnostics.add("zero_timestamp", first_zero_timestamp_, {}, zero_timestamps_);
}

StringId Builder::text(const Value& value) {
  if (!value.escaped) return trace_.strings.intern(value.text);
  unescape(value.text, scratch_);
  return trace_.strings.intern(scratch_);
}

StringId Builder::json(const Value& value) {
  if (value.text.empty()) return 0;
  const StringId raw = raw_json_.intern(value.text);
  if (raw == compact_json_.size()) {
    compact(value.text, scratch_);
    compact_json_.push_back(trace_.strings.intern(scratch_));
  }
  return compact_json_[raw];
}

std::uint32_t Builder::thread(const Value& pid, const Value& tid) {
  for (const ThreadMemo& memo : memo_) {
    if (memo.thread != kNone && memo.tid == tid.text && memo.pid == pid.text) return memo.thread;
  }
  // 25738 and "25738" are one thread: the text decides.
  const std::string process_text(pid.text);
  const auto [process, new_process] =
      processes_.emplace(process_text, static_cast<std::uint32_t>(trace_.processes.size()));
  if (new_process) trace_.processes.push_back({process_text, {}});
  const std::string thread_text(tid.text);
  const auto [row, new_thread] = threads_.emplace(std::pair(process->second, thread_text),
                                                  static_cast<std::uint32_t>(trace_.threads.size()));
  if (new_thread) trace_.threads.push_back({process->second, thread_text, {}});
  memo_[next_memo_++ % kThreadMemos] = {process_text, thread_text, row->second};
  return row->second;
}

std::uint32_t Builder::device(const Event& event) {
  const auto id = integer_of(event.has(Arg::device) ? event.arg(Arg::device) : event.pid);
  if (id) return device_row(*id);
  if (event.pid.text == "CUDA functions") return device_row(integer_of(event.tid).value_or(0));
  return kNone;
}

std::uint32_t Builder::device_row(std::int64_t id) {
  if (id == last_device_id_ && last_device_ != kNone) return last_device_;
  const auto [row, added] = devices_.emplace(id, static_cast<std::uint32_t>(trace_.devices.size()));
  if (added) {
    trace_.devices.emplace_back();
    trace_.devices.back().id = id;
  }
  last_device_id_ = id;
  return last_device_ = row->second;
}

std::uint32_t Builder::details(const Event& event) {
  KernelDetails row;
  if (event.has(Arg::grid)) row.grid = triple_of(event.arg(Arg::grid));
  if (event.has(Arg::block)) row.block = triple_of(event.arg(Arg::block));
  if (event.has(Arg::registers)) row.registers_per_thread = small(integer_of(event.arg(Arg::registers)));
  if (event.has(Arg::shared_memory))
    row.shared_memory_bytes = small(integer_of(event.arg(Arg::shared_memory)));
  if (event.has(Arg::bytes)) row.bytes = id_of(event.arg(Arg::bytes)).value_or(0);
  return share(known_details_, trace_.kernel_details, row);
}

std::uint32_t Builder::op_args(const Event& event) {
  OpArgs row;
  if (event.has(Arg::dims)) row.dims = json(event.arg(Arg::dims));
  if (event.has(Arg::types)) row.types = json(event.arg(Arg::types));
  if (event.has(Arg::strides)) row.strides = json(event.arg(Arg::strides));
  if (event.has(Arg::concrete) && event.arg(Arg::concrete).text.size() <= kLongestConcreteInputs)
    row.concrete = json(event.arg(Arg::concrete));
  if (event.has(Arg::kernel_backend) || event.has(Arg::kernel_file)) row.kernel = kernel_metadata(event);
  return share(known_args_, trace_.op_args, row);
}

StringId Builder::kernel_metadata(const Event& event) {
  constexpr std::pair<Arg, std::string_view> kFields[] = {
      {Arg::kernel_backend, "kernel_backend"}, {Arg::kernel_name, "kernel_name"},
      {Arg::kernel_file, "kernel_file"},       {Arg::kernel_kwargs, "kernel_kwargs"},
      {Arg::num_warps, "num_warps"},           {Arg::num_stages, "num_stages"}};
  std::string object = "{";
  for (const auto& [arg, name] : kFields) {
    const Value value = event.arg(arg);
    if (!value) continue;
    if (object.size() > 1) object += ',';
    object += '"' + std::string(name) + "\":";
    object += value.is_string() ? '"' + std::string(value.text) + '"' : std::string(value.text);
  }
  return trace_.strings.intern(object + "}");
}

std::uint32_t Builder::collective(const Event& event) {
  if (!event.has(Arg::collective_name)) return kNone;
  Collective row;
  row.name = text(event.arg(Arg::collective_name));
  row.dtype = text(event.arg(Arg::dtype));
  row.group = text(event.arg(Arg::group_name));
  row.in_elements = integer_of(event.arg(Arg::in_elements)).value_or(-1);
  row.out_elements = integer_of(event.arg(Arg::out_elements)).value_or(-1);
  row.group_size = static_cast<std::int32_t>(integer_of(event.arg(Arg::group_size)).value_or(-1));
  return share(known_collectives_, trace_.collectives, row);
}

}  // namespace pagoda::kineto
