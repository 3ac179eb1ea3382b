#include "report/json/analysis_json.h"

#include "report/json/json_writer.h"
#include "report/text/shares.h"

namespace pagoda {
namespace {

constexpr auto kOneLine = JsonWriter::Layout::one_line;

class AnalysisWriter {
 public:
  AnalysisWriter(const Analysis& analysis, std::string& out) : analysis_(analysis), json_(out) {}

  void write() {
    json_.open_object();
    json_.field("schema", "pagoda.analysis/1");
    json_.key("steps");
    analysis_.steps > 0 ? json_.value(analysis_.steps) : json_.null();
    list("files", analysis_.files, &AnalysisWriter::file);
    list("devices", analysis_.devices, &AnalysisWriter::device);
    list("operators", analysis_.operators, &AnalysisWriter::op);
    list("idle_causes", analysis_.idle_causes, &AnalysisWriter::idle_cause);
    list("graphs", analysis_.graphs, &AnalysisWriter::graph);
    list("collectives", analysis_.collectives, &AnalysisWriter::collective);
    list("stragglers", analysis_.stragglers, &AnalysisWriter::straggler);
    write_counters();
    write_diagnostics();
    json_.open_array("warnings");
    for (const std::string& warning : analysis_.warnings) json_.value(warning);
    json_.close();
    json_.close();
  }

 private:
  template <typename Row>
  void list(std::string_view name, const std::vector<Row>& rows, void (AnalysisWriter::*row)(const Row&)) {
    json_.open_array(name);
    for (const Row& each : rows) (this->*row)(each);
    json_.close();
  }

  void optional(std::string_view name, const std::optional<std::int64_t>& number) {
    json_.key(name);
    number ? json_.value(*number) : json_.null();
  }

  void file(const FileSummary& file) {
    json_.open_object();
    json_.field("path", file.path);
    json_.field("format", file.format);
    json_.field("content_bytes", file.content_bytes);
    json_.field("events", file.events);
    json_.field("truncated", file.truncated);
    optional("rank", file.rank);
    optional("world_size", file.world_size);
    json_.open_object("other_categories", kOneLine);
    for (const auto& [name, count] : file.other_categories) json_.field(name, count);
    json_.close();
    json_.close();
  }

  void by_kind(std::string_view name, const CountsByKind& counts) {
    json_.open_object(name, kOneLine);
    json_.field("compute", counts.compute);
    json_.field("communication", counts.communication);
    json_.field("memcpy", counts.memcpy);
    json_.field("memset", counts.memset);
    json_.close();
  }

  void device(const DeviceAccount& device) {
    json_.open_object();
    json_.field("rank", device.rank);
    json_.field("device", device.device);
    json_.field("name", device.name);
    json_.field("file", device.file);
    json_.field("window", device.window_label);
    json_.field("start_ns", device.start_ns);
    device_times(device);
    by_kind("counts", device.counts);
    by_kind("kernel_sum_ns", device.kernel_sum_ns);
    json_.open_object("buckets_ns");
    for (std::size_t i = 0; i < kBucketCount; ++i)
      json_.field(bucket_name(static_cast<Bucket>(i)), device.buckets_ns[i]);
    json_.close();
    json_.open_object("conservation", kOneLine);
    json_.field("window_minus_buckets_ns", device.window_minus_buckets_ns());
    json_.field("busy_minus_buckets_ns", device.busy_minus_buckets_ns());
    json_.close();
    json_.field("idle_unreliable", device.idle_unreliable);
    list("streams", device.streams, &AnalysisWriter::stream);
    json_.field_or_null("peak_allocated_bytes", device.peak_allocated_bytes);
    json_.field_or_null("peak_reserved_bytes", device.peak_reserved_bytes);
    json_.close();
  }

  void device_times(const DeviceAccount& device) {
    json_.field("window_ns", device.window_ns);
    json_.field("busy_ns", device.busy_ns);
    json_.field("idle_ns", device.idle_ns);
    json_.field("compute_ns", device.compute_ns);
    json_.field("communication_ns", device.communication_ns);
    json_.field("exposed_communication_ns", device.exposed_communication_ns);
    json_.field("overlapped_communication_ns", device.overlapped_communication_ns);
    json_.field("exposed_copy_ns", device.exposed_copy_ns);
    json_.field("without_launch_ns", device.without_launch_ns);
    json_.field("launched_before_capture_ns", device.launched_before_capture_ns);
    json_.field("unattributed_ns", device.unattributed_ns);
    json_.field("graph_ns", device.graph_ns);
    json_.field("without_launch_count", device.without_launch_count);
    json_.field("launched_before_capture_count", device.launched_before_capture_count);
    json_.field("graph_count", device.graph_count);
  }

  void stream(const StreamAccount& stream) {
    json_.open_object(kOneLine);
    json_.field("stream", stream.stream);
    json_.field("events", stream.events);
    json_.field("busy_ns", stream.busy_ns);
    json_.field("overlaps", stream.overlaps);
    json_.field("worst_overlap_ns", stream.worst_overlap_ns);
    json_.close();
  }

  void op(const OperatorRow& row) {
    json_.open_object();
    json_.field("name", row.name);
    json_.field("shapes", row.shapes);
    json_.field("dtypes", row.dtypes);
    json_.field("time_ns", row.time_ns);
    json_.field("calls", row.calls);
    json_.field("gpu_events", row.gpu_events);
    json_.field("share_fraction", share_fraction(row.time_ns, total_ns_));
    json_.field("attributed", attributed_name(row.how));
    json_.field("phase", phase_name(row.phase));
    json_.field("module", row.module);
    json_.field("annotation", row.annotation);
    json_.field("python", row.python);
    json_.field("top_kernel", row.top_kernel);
    json_.open_object("bound_ns", kOneLine);
    for (std::size_t i = 0; i < row.bound_ns.size(); ++i)
      json_.field(bound_name(static_cast<Bound>(i)), row.bound_ns[i]);
    json_.close();
    json_.close();
  }

  void idle_cause(const IdleCause& cause) {
    json_.open_object(kOneLine);
    json_.field("bucket", bucket_name(cause.bucket));
    json_.field("what", cause.what);
    json_.field("time_ns", cause.time_ns);
    json_.field("gaps", cause.gaps);
    json_.close();
  }

  void graph(const GraphRow& row) {
    json_.open_object();
    json_.field("launch_call", row.launch_call);
    json_.field("launches", row.launches);
    json_.field("gpu_events", row.gpu_events);
    json_.field("time_ns", row.time_ns);
    json_.open_array("kernels");
    for (const GraphRow::Kernel& kernel : row.kernels) {
      json_.open_object(kOneLine);
      json_.field("name", kernel.name);
      json_.field("calls", kernel.calls);
      json_.field("time_ns", kernel.time_ns);
      json_.close();
    }
    json_.close();
    json_.close();
  }

  void collective(const CollectiveRow& row) {
    json_.open_object();
    json_.field("name", row.name);
    json_.field("dtype", row.dtype);
    json_.field("group", row.group);
    json_.field_or_null("elements", row.elements);
    json_.field_or_null("group_size", row.group_size);
    json_.field("calls", row.calls);
    json_.field("time_ns", row.time_ns);
    json_.field("median_ns", row.median_ns);
    json_.field("p99_ns", row.p99_ns);
    json_.field_or_null("algorithm_bytes_per_s", row.algorithm_bytes_per_s);
    json_.field_or_null("bus_bytes_per_s", row.bus_bytes_per_s);
    json_.field_or_null("median_skew_ns", row.median_skew_ns);
    json_.field_or_null("max_skew_ns", row.max_skew_ns);
    json_.field("edge_calls", row.edge_calls);
    json_.close();
  }

  void straggler(const Straggler& straggler) {
    json_.open_object(kOneLine);
    json_.field("rank", straggler.rank);
    json_.field("why", straggler.why);
    json_.close();
  }

  void sizes(std::string_view name, const std::array<std::uint32_t, 3>& sizes) {
    json_.key(name);
    if (sizes[0] == 0) return json_.null();
    json_.open_array(kOneLine);
    for (std::uint32_t size : sizes) json_.value(size);
    json_.close();
  }

  void write_counters() {
    json_.open_array("counters");
    for (std::size_t row = 0; row < analysis_.counters.size(); ++row) {
      const KernelCounters& counters = analysis_.counters[row];
      json_.open_object();
      json_.field("kernel", analysis_.counter_names[row]);
      json_.field("order", counters.order);
      json_.field("device_cc", counters.device_cc);
      sizes("grid", counters.details.grid);
      sizes("block", counters.details.block);
      json_.open_object("metrics");
      for (const auto& [name, number] : counters.metrics) json_.field(name, number);
      json_.close();
      json_.close();
    }
    json_.close();
  }

  void write_diagnostics() {
    json_.open_array("diagnostics");
    for (const auto& [kind, entry] : analysis_.diagnostics.entries()) {
      json_.open_object(kOneLine);
      json_.field("kind", kind);
      json_.field("count", entry.count);
      json_.key("first_byte_offset");
      entry.first_byte_offset ? json_.value(*entry.first_byte_offset) : json_.null();
      json_.field("example", entry.example);
      json_.close();
    }
    json_.close();
  }

  const Analysis& analysis_;
  const Nanos total_ns_ = operator_total_ns(analysis_);
  JsonWriter json_;
};

}  // namespace

std::string analysis_json(const Analysis& analysis) {
  std::string out;
  AnalysisWriter(analysis, out).write();
  return out;
}

}  // namespace pagoda
