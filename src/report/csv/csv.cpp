#include "report/csv/csv.h"

#include <array>
#include <cmath>
#include <concepts>

#include <fmt/format.h>

#include "core/error.h"
#include "report/text/shares.h"

namespace pagoda {
namespace {

/// Collects one line.
class Line {
 public:
  Line& text(std::string_view content) { return raw(csv_field(content)); }
  template <std::integral T>
  Line& number(T content) {
    return raw(std::to_string(content));
  }
  Line& number(double content) { return raw(std::isfinite(content) ? fmt::format("{}", content) : ""); }
  template <typename T>
  Line& known(T content) {
    return content < 0 ? raw("") : number(content);
  }
  Line& raw(std::string_view content) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += content;
    return *this;
  }
  std::string end() const { return line_ + "\r\n"; }

 private:
  std::string line_;
  bool first_ = true;
};

std::string titles(std::string_view names) { return std::string(names) + "\r\n"; }

std::string operators(const Analysis& analysis) {
  std::string out = titles(
      "name,shapes,dtypes,phase,attributed,time_ns,share_fraction,calls,gpu_events,module,annotation,python,"
      "top_"
      "kernel");
  const Nanos total_ns = operator_total_ns(analysis);
  for (const OperatorRow& row : analysis.operators) {
    Line line;
    line.text(row.name).text(row.shapes).text(row.dtypes);
    line.text(phase_name(row.phase)).text(attributed_name(row.how));
    line.number(row.time_ns).number(share_fraction(row.time_ns, total_ns));
    line.number(row.calls).number(row.gpu_events);
    line.text(row.module).text(row.annotation).text(row.python).text(row.top_kernel);
    out += line.end();
  }
  return out;
}

std::string devices(const Analysis& analysis) {
  Line head;
  head.raw("rank,device,name,file,window,window_ns,busy_ns,idle_ns,compute_ns,communication_ns");
  head.raw("exposed_communication_ns,overlapped_communication_ns,exposed_copy_ns,without_launch_ns");
  head.raw("launched_before_capture_ns,unattributed_ns,graph_ns");
  for (std::size_t i = 0; i < kBucketCount; ++i)
    head.raw("bucket_" + std::string(bucket_name(static_cast<Bucket>(i))) + "_ns");
  head.raw("window_minus_buckets_ns,busy_minus_buckets_ns,peak_allocated_bytes");
  std::string out = head.end();
  for (const DeviceAccount& row : analysis.devices) {
    Line line;
    line.number(row.rank).number(row.device).text(row.name).text(row.file).text(row.window_label);
    line.number(row.window_ns).number(row.busy_ns).number(row.idle_ns);
    line.number(row.compute_ns).number(row.communication_ns).number(row.exposed_communication_ns);
    line.number(row.overlapped_communication_ns).number(row.exposed_copy_ns).number(row.without_launch_ns);
    line.number(row.launched_before_capture_ns).number(row.unattributed_ns).number(row.graph_ns);
    for (Nanos bucket_ns : row.buckets_ns) line.number(bucket_ns);
    line.number(row.window_minus_buckets_ns()).number(row.busy_minus_buckets_ns());
    line.known(row.peak_allocated_bytes);
    out += line.end();
  }
  return out;
}

std::string idle(const Analysis& analysis) {
  std::string out = titles("bucket,what,time_ns,gaps");
  for (const IdleCause& row : analysis.idle_causes) {
    Line line;
    line.text(bucket_name(row.bucket)).text(row.what).number(row.time_ns).number(row.gaps);
    out += line.end();
  }
  return out;
}

std::string collectives(const Analysis& analysis) {
  std::string out = titles(
      "name,dtype,group,elements,group_size,calls,time_ns,median_ns,p99_ns,algorithm_bytes_per_s,bus_bytes_"
      "per_s,"
      "median_skew_ns,max_skew_ns,edge_calls");
  for (const CollectiveRow& row : analysis.collectives) {
    Line line;
    line.text(row.name).text(row.dtype).text(row.group).known(row.elements).known(row.group_size);
    line.number(row.calls).number(row.time_ns).number(row.median_ns).number(row.p99_ns);
    line.known(row.algorithm_bytes_per_s).known(row.bus_bytes_per_s);
    line.known(row.median_skew_ns).known(row.max_skew_ns).number(row.edge_calls);
    out += line.end();
  }
  return out;
}

std::string graphs(const Analysis& analysis) {
  std::string out = titles("graph,launch_call,launches,kernel,calls,time_ns");
  for (std::size_t graph = 0; graph < analysis.graphs.size(); ++graph) {
    const GraphRow& row = analysis.graphs[graph];
    for (const GraphRow::Kernel& kernel : row.kernels) {
      Line line;
      line.number(graph + 1).text(row.launch_call).number(row.launches);
      line.text(kernel.name).number(kernel.calls).number(kernel.time_ns);
      out += line.end();
    }
  }
  return out;
}

std::string diagnostics(const Analysis& analysis) {
  std::string out = titles("kind,count,first_byte_offset,example");
  for (const auto& [kind, entry] : analysis.diagnostics.entries()) {
    Line line;
    line.text(kind).number(entry.count);
    entry.first_byte_offset ? line.number(*entry.first_byte_offset) : line.raw("");
    line.text(entry.example);
    out += line.end();
  }
  return out;
}

constexpr std::array<std::string_view, 6> kTables = {"operators",   "devices", "idle",
                                                     "collectives", "graphs",  "diagnostics"};
constexpr std::array<std::string (*)(const Analysis&), 6> kWriters = {operators,   devices, idle,
                                                                      collectives, graphs,  diagnostics};

}  // namespace

std::span<const std::string_view> csv_tables() { return kTables; }

std::string analysis_csv(const Analysis& analysis, std::string_view table) {
  for (std::size_t i = 0; i < kTables.size(); ++i) {
    if (kTables[i] == table) return kWriters[i](analysis);
  }
  throw Error("there is no table '" + std::string(table) + "'");
}

std::string csv_field(std::string_view text) {
  std::string field;
  // Spreadsheets run a cell that begins like a formula: kernel names come from whoever wrote the profile.
  if (text.find_first_of("=+-@\t\r", 0) == 0) field += '\'';
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  return "\"" + field + "\"";
}

}  // namespace pagoda
