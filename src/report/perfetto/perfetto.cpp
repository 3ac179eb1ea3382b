#include "report/perfetto/perfetto.h"

#include <algorithm>
#include <limits>
#include <map>

#include "report/json/json_writer.h"
#include "report/messages/render.h"

namespace pagoda {
namespace {

constexpr auto kOneLine = JsonWriter::Layout::one_line;
constexpr std::int64_t kPagodaProcess = 1'000'000'000;

/// Microseconds with three decimals, exactly.
std::string micros(Nanos time_ns) {
  const bool negative = time_ns < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -time_ns : time_ns);
  std::string fraction = std::to_string(magnitude % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return (negative ? "-" : "") + std::to_string(magnitude / 1000) + "." + fraction;
}

/// Arguments under the names that Kineto gives them, so that tools, Pagoda too, can read the file again.
struct Args {
  std::int64_t device = -1;
  std::int64_t stream = -1;
  std::uint64_t correlation = 0;
  std::string_view note;
};

class Writer {
 public:
  Writer(const Trace& trace, const Plan& plan) : trace_(trace), plan_(plan) {}

  std::string write() {
    out_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
    host();
    devices();
    actions();
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  void event(std::string_view name, std::string_view category, std::int64_t pid, std::int64_t tid,
             Nanos start_ns, Nanos duration_ns, const Args& args = {}) {
    begin();
    std::string json;
    JsonWriter writer(json);
    writer.open_object(kOneLine);
    writer.field("ph", "X");
    writer.field("cat", category);
    writer.field("name", name);
    writer.field("pid", pid);
    writer.field("tid", tid);
    writer.open_object("args", kOneLine);
    if (args.device >= 0) writer.field("device", args.device);
    if (args.stream >= 0) writer.field("stream", args.stream);
    if (args.correlation > 0) writer.field("correlation", args.correlation);
    if (!args.note.empty()) writer.field("pagoda", args.note);
    writer.close();
    writer.close();
    // Times are appended as text: a double would round them.
    json.erase(json.rfind('}'));
    out_ += json + ", \"ts\": " + micros(start_ns) + ", \"dur\": " + micros(duration_ns) + "}";
  }

  void name_track(const char* kind, std::int64_t pid, std::int64_t tid, std::string_view name) {
    begin();
    std::string json;
    JsonWriter writer(json);
    writer.open_object(kOneLine);
    writer.field("ph", "M");
    writer.field("name", kind);
    writer.field("pid", pid);
    writer.field("tid", tid);
    writer.open_object("args", kOneLine);
    writer.field("name", name);
    writer.close();
    writer.close();
    out_ += json.substr(0, json.rfind('}') + 1);
  }

  void begin() {
    if (!first_) out_ += ",\n";
    first_ = false;
  }

  void host() {
    for (std::size_t row = 0; row < trace_.threads.size(); ++row) {
      const Thread& thread = trace_.threads[row];
      name_track("thread_name", host_process(thread.process), static_cast<std::int64_t>(row),
                 thread.name.empty() ? thread.tid : thread.name);
    }
    for (std::size_t row = 0; row < trace_.processes.size(); ++row)
      name_track("process_name", host_process(static_cast<std::uint32_t>(row)), 0,
                 trace_.processes[row].name + " " + trace_.processes[row].pid);
    for (const HostScope& scope : trace_.scopes) {
      if (scope.thread == kNone) continue;
      event(trace_.text(scope.name), scope_category(scope.kind),
            host_process(trace_.threads[scope.thread].process), scope.thread, scope.start_ns,
            scope.duration_ns);
    }
    for (const Launch& call : trace_.launches) {
      if (call.thread == kNone) continue;
      event(trace_.text(call.name), "cuda_runtime", host_process(trace_.threads[call.thread].process),
            call.thread, call.start_ns, call.duration_ns, {-1, -1, call.correlation, {}});
    }
  }

  static std::string_view scope_category(ScopeKind kind) {
    return kind == ScopeKind::op           ? "cpu_op"
           : kind == ScopeKind::annotation ? "user_annotation"
                                           : "python_function";
  }
  static std::string_view gpu_category(GpuEventKind kind) {
    return kind == GpuEventKind::kernel   ? "kernel"
           : kind == GpuEventKind::memcpy ? "gpu_memcpy"
                                          : "gpu_memset";
  }
  static std::int64_t host_process(std::uint32_t row) { return 1'000'000 + row; }

  void devices() {
    std::map<std::uint32_t, std::string> note_of_event;
    for (const Action& action : plan_.actions) {
      for (std::uint32_t row : action.gpu_events)
        note_of_event[row] =
            std::to_string(action.rank) + " " + message_text(action.title, Language::english);
    }
    // Lanes of a stream: the first one that is free, so that no slice crosses another.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Nanos>> lanes;
    for (std::uint32_t row = 0; row < trace_.gpu_events.size(); ++row) {
      const GpuEvent& gpu = trace_.gpu_events[row];
      auto& ends = lanes[{gpu.device, gpu.stream}];
      std::size_t lane = 0;
      while (lane < ends.size() && ends[lane] > gpu.start_ns) ++lane;
      if (lane == ends.size()) ends.push_back(0);
      ends[lane] = gpu.end_ns();
      const auto note = note_of_event.find(row);
      const std::int64_t id = trace_.devices[gpu.device].id;
      event(trace_.text(gpu.name), gpu_category(gpu.kind), id, track(gpu.stream, lane), gpu.start_ns,
            gpu.duration_ns,
            {id, gpu.stream, gpu.correlation,
             note == note_of_event.end() ? std::string_view() : std::string_view(note->second)});
    }
    for (const auto& [key, ends] : lanes) {
      for (std::size_t lane = 0; lane < ends.size(); ++lane)
        name_track("thread_name", trace_.devices[key.first].id, track(key.second, lane),
                   "stream " + std::to_string(key.second) + (lane ? " (overlap)" : ""));
    }
    for (std::uint32_t row = 0; row < trace_.devices.size(); ++row)
      name_track("process_name", trace_.devices[row].id, 0,
                 "GPU " + std::to_string(trace_.devices[row].id) + " " + trace_.devices[row].name);
  }

  static std::int64_t track(std::uint32_t stream, std::size_t lane) {
    return static_cast<std::int64_t>(stream) * 64 +
           static_cast<std::int64_t>(std::min<std::size_t>(lane, 63));
  }

  /// Pagoda's own tracks: which action would replace what runs here.
  void actions() {
    name_track("process_name", kPagodaProcess, 0, "Pagoda");
    for (const Action& action : plan_.actions) {
      if (action.gpu_events.empty()) continue;
      name_track("thread_name", kPagodaProcess, action.rank,
                 std::to_string(action.rank) + " " + message_text(action.title, Language::english));
      Nanos end_ns = std::numeric_limits<Nanos>::min();
      std::vector<std::uint32_t> rows = action.gpu_events;
      std::sort(rows.begin(), rows.end());
      for (std::uint32_t row : rows) {
        if (row >= trace_.gpu_events.size()) continue;
        const GpuEvent& gpu = trace_.gpu_events[row];
        const Nanos start_ns = std::max(gpu.start_ns, end_ns);
        if (gpu.end_ns() <= start_ns) continue;
        event(message_text(action.title, Language::english), "pagoda", kPagodaProcess, action.rank, start_ns,
              gpu.end_ns() - start_ns, {-1, -1, 0, action.id});
        end_ns = gpu.end_ns();
      }
    }
    buckets();
  }

  /// Busy time by the bound of the kernel that started first, and idle time between.
  void buckets() {
    name_track("thread_name", kPagodaProcess, 0, "bound");
    Nanos end_ns = std::numeric_limits<Nanos>::min();
    for (std::size_t row = 0; row < trace_.gpu_events.size(); ++row) {
      const GpuEvent& gpu = trace_.gpu_events[row];
      if (row > 0 && gpu.device != trace_.gpu_events[row - 1].device) break;  // the first device
      if (end_ns != std::numeric_limits<Nanos>::min() && gpu.start_ns > end_ns)
        event("idle", "pagoda", kPagodaProcess, 0, end_ns, gpu.start_ns - end_ns);
      const Nanos start_ns = std::max(gpu.start_ns, end_ns);
      if (gpu.end_ns() <= start_ns) continue;
      const std::string_view name =
          row < plan_.event_bounds.size() ? bound_name(plan_.event_bounds[row]) : "unknown";
      event(name, "pagoda", kPagodaProcess, 0, start_ns, gpu.end_ns() - start_ns);
      end_ns = gpu.end_ns();
    }
  }

  const Trace& trace_;
  const Plan& plan_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string perfetto_json(const Trace& trace, const Plan& plan) { return Writer(trace, plan).write(); }

}  // namespace pagoda
