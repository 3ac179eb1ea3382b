#include "report/json/plan_json.h"

#include "report/json/json_writer.h"
#include "report/messages/render.h"

namespace pagoda {
namespace {

constexpr auto kOneLine = JsonWriter::Layout::one_line;

class PlanWriter {
 public:
  PlanWriter(const Plan& plan, std::string& out) : plan_(plan), json_(out) {}

  void write() {
    json_.open_object();
    json_.field("schema", "pagoda.plan/1");
    json_.open_array("files", kOneLine);
    for (const FileSummary& file : plan_.analysis.files) json_.value(file.path);
    json_.close();
    write_hardware();
    write_step();
    json_.open_object("coverage", kOneLine);
    json_.field("classified_fraction", plan_.classified_fraction);
    json_.field("modelled_fraction", plan_.modelled_fraction);
    json_.close();
    json_.field("policy_preset", plan_.policy_preset);
    message("headline", plan_.headline);
    messages("summary", plan_.summary);
    json_.open_array("operators");
    for (const PlanOperator& row : plan_.operators) write_operator(row);
    json_.close();
    json_.open_array("actions");
    for (const Action& action : plan_.actions) write_action(action);
    json_.close();
    json_.open_array("declined");
    for (const Declined& row : plan_.declined) write_declined(row);
    json_.close();
    json_.open_array("ladder");
    for (const LadderStep& step : plan_.ladder) write_ladder_step(step);
    json_.close();
    messages("doubts", plan_.doubts);
    json_.close();
  }

 private:
  void write_hardware() {
    json_.open_object("hardware");
    json_.field("name", plan_.device_name);
    json_.field("known", plan_.hardware_known);
    json_.field_or_null("peak_flops_per_s", plan_.peak_flops);
    json_.field("peak_dtype", plan_.peak_dtype);
    json_.field_or_null("dram_bytes_per_s", plan_.dram_bytes_per_s);
    json_.field("ceilings_measured", plan_.ceilings_measured);
    json_.field("source", plan_.hardware_source);
    json_.close();
  }

  void write_step() {
    json_.open_object("step");
    json_.field("label", plan_.step_label);
    json_.field("count", plan_.steps);
    json_.field("measured_ns", plan_.step_ns);
    json_.field("profiled_ns", plan_.profiled_step_ns);
    json_.field("corrected", plan_.corrected);
    json_.field("gpu_busy_ns", plan_.gpu_busy_per_step_ns);
    json_.field("launches", plan_.launch_count_per_step);
    json_.open_object("buckets_ns");
    for (const auto& [bucket, time_ns] : plan_.step_buckets_ns) json_.field(bucket_name(bucket), time_ns);
    json_.close();
    json_.close();
  }

  void write_operator(const PlanOperator& row) {
    json_.open_object(kOneLine);
    json_.field("operator", row.operator_name);
    json_.field("phase", row.phase);
    json_.field("shapes", row.shapes);
    json_.field("time_ns", row.time_ns);
    json_.field("share_fraction", row.share_fraction);
    json_.field("bound", bound_name(row.bound));
    json_.field("known_by", row.known_by);
    json_.field_or_null("flops", row.flops);
    json_.field_or_null("bytes", row.bytes);
    json_.field_or_null("arithmetic_intensity", row.arithmetic_intensity);
    json_.field_or_null("achieved_flops_per_s", row.achieved_flops_per_s);
    json_.field_or_null("achieved_bytes_per_s", row.achieved_bytes_per_s);
    json_.field_or_null("sol_fraction", row.sol_fraction);
    json_.field("model_error", row.model_error);
    json_.field("instances", row.instances);
    json_.field("gpu_events", row.gpu_events);
    json_.close();
  }

  void write_action(const Action& action) {
    json_.open_object();
    json_.field("id", action.id);
    json_.field("rank", action.rank);
    json_.field("kind", action_kind_name(action.kind));
    json_.field("operator", action.operator_name);
    json_.field("tier", tier_name(action.tier));
    message("title", action.title);
    path(action.reason_path);
    json_.field("share_fraction", action.share_fraction);
    json_.field("time_now_ns", action.time_now_ns);
    json_.field("floor_ns", action.floor_ns);
    range("step_after_alone_ns", action.step_after_alone_ns);
    range("step_after_cumulative_ns", action.step_after_cumulative_ns);
    range("speedup_end_to_end", action.speedup_end_to_end);
    json_.open_object("dev_days", kOneLine);
    json_.field("low", action.dev_days_low);
    json_.field("high", action.dev_days_high);
    json_.close();
    optional("saving_per_month", action.saving_per_month);
    optional("payback_days", action.payback_days);
    write_band(action.roi_band);
    json_.field("changes_numerics", action.changes_numerics);
    json_.field("confidence_fraction", action.confidence_fraction);
    json_.field("gpu_events_per_step", action.gpu_events_per_step);
    json_.open_array("tiers");
    for (const TierEstimate& row : action.tiers) write_tier(row);
    json_.close();
    json_.open_array("checklist");
    for (const ChecklistItem& item : action.checklist) write_checklist_item(item);
    json_.close();
    json_.open_array("evidence");
    for (const Evidence& row : action.evidence) write_evidence(row);
    json_.close();
    json_.open_array("implementations");
    for (const Implementation& row : action.implementations) write_implementation(row);
    json_.close();
    messages("risks", action.risks);
    strings("kernels", action.kernels);
    strings("shapes", action.shapes);
    json_.close();
  }

  void write_band(const RoiBand& band) {
    json_.open_object("roi_band", kOneLine);
    json_.field("label", band.label);
    json_.field("promised_low_fraction", band.promised_low_fraction);
    json_.field("promised_high_fraction", band.promised_high_fraction);
    json_.field("proposal", band.proposal);
    json_.field("cost", band.cost);
    json_.close();
  }

  void write_tier(const TierEstimate& row) {
    json_.open_object();
    json_.field("tier", tier_name(row.tier));
    range("operator_time_ns", row.operator_time_ns);
    range("step_after_alone_ns", row.step_after_alone_ns);
    json_.open_object("dev_days", kOneLine);
    json_.field("low", row.dev_days.low);
    json_.field("high", row.dev_days.high);
    json_.close();
    json_.key("evidence");
    write_evidence(row.evidence);
    json_.close();
  }

  void write_checklist_item(const ChecklistItem& item) {
    json_.open_object(kOneLine);
    json_.field("tier", tier_name(item.tier));
    json_.field("criterion", message_text(item.criterion, Language::english));
    json_.key("met");
    item.met ? json_.value(*item.met) : json_.null();
    json_.field("evidence", message_text(item.evidence, Language::english));
    json_.close();
  }

  void write_evidence(const Evidence& row) {
    json_.open_object(kOneLine);
    json_.field("source", row.source);
    json_.field("text", message_text(row.text, Language::english));
    json_.close();
  }

  void write_implementation(const Implementation& row) {
    json_.open_object(kOneLine);
    json_.field("id", row.id);
    json_.field("name", row.name);
    json_.field("tier", tier_name(row.tier));
    json_.field("licence", row.licence);
    json_.field("switch_on", row.switch_on);
    json_.field("limits", row.limits);
    json_.field("version_seen", row.version_seen);
    json_.field("url", row.url);
    json_.close();
  }

  void write_declined(const Declined& row) {
    json_.open_object();
    json_.field("operator", row.operator_name);
    json_.field("share_fraction", row.share_fraction);
    message("why", row.why);
    path(row.reason_path);
    json_.close();
  }

  void write_ladder_step(const LadderStep& step) {
    json_.open_object();
    json_.field("action", step.action_id);
    json_.field("title", message_text(step.title, Language::english));
    range("step_ns", step.step_ns);
    range("per_second", step.per_second);
    json_.close();
  }

  template <typename RangeType>
  void range(std::string_view name, const RangeType& range) {
    json_.open_object(name, kOneLine);
    json_.field("low", range.low);
    json_.field("likely", range.likely);
    json_.field("high", range.high);
    json_.close();
  }

  void path(const std::vector<PathStep>& steps) {
    json_.open_array("reason_path");
    for (const PathStep& step : steps) {
      json_.open_object();
      message("question", step.question);
      message("answer", step.answer);
      json_.close();
    }
    json_.close();
  }

  void message(std::string_view name, const Message& message) {
    json_.key(name);
    write_message(message);
  }
  void messages(std::string_view name, const std::vector<Message>& all) {
    json_.open_array(name);
    for (const Message& each : all) write_message(each);
    json_.close();
  }
  void write_message(const Message& message) {
    json_.open_object(kOneLine);
    json_.field("id", message.id);
    json_.field("text", message.id.empty() ? "" : message_text(message, Language::english));
    json_.open_object("args", kOneLine);
    for (const auto& [key, value] : message.args) json_.field(key, value);
    json_.close();
    json_.close();
  }

  void strings(std::string_view name, const std::vector<std::string>& all) {
    json_.open_array(name, kOneLine);
    for (const std::string& each : all) json_.value(each);
    json_.close();
  }
  void optional(std::string_view name, const std::optional<double>& value) {
    json_.key(name);
    value ? json_.value(*value) : json_.null();
  }

  const Plan& plan_;
  JsonWriter json_;
};

}  // namespace

std::string plan_json(const Plan& plan) {
  std::string out;
  PlanWriter(plan, out).write();
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace pagoda
