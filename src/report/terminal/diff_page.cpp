#include "report/terminal/diff_page.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "report/json/json_writer.h"
#include "report/terminal/page.h"
#include "report/text/quantities.h"

namespace pagoda {
namespace {

std::string signed_percent(double fraction) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * fraction);
  return text.data();
}

std::string signed_duration(Nanos time_ns) {
  return (time_ns < 0 ? "-" : "+") + duration_text(time_ns < 0 ? -time_ns : time_ns);
}

void promises(Page& page, const Diff& diff, bool chinese) {
  if (diff.promises.empty()) return;
  page.title(chinese ? "预测与实际" : "Predicted beside achieved",
             chinese ? "依次做完后的步时" : "step after each action in order");
  Table table({{""},
               {chinese ? "预测" : "predicted"},
               {chinese ? "实际" : "achieved"},
               {chinese ? "误差" : "error", Align::right},
               {""}});
  for (std::size_t i = 0; i < diff.promises.size(); ++i) {
    const Promise& promise = diff.promises[i];
    const bool nearest = diff.nearest_promise == i;
    const NanosRange& range = promise.step_after_cumulative_ns;
    const double error = static_cast<double>(diff.after_step_ns - range.likely) /
                         static_cast<double>(std::max<Nanos>(range.likely, 1));
    const bool inside = diff.after_step_ns >= range.low && diff.after_step_ns <= range.high;
    table.add({promise.action_id, range_text(range), nearest ? duration_text(diff.after_step_ns) : "",
               nearest ? signed_percent(error) : "",
               !nearest ? ""
               : inside ? (chinese ? "在区间内" : "inside the interval")
                        : (chinese ? "在区间外" : "outside the interval")});
  }
  page.table(table);
}

}  // namespace

std::string diff_page(const Diff& diff, const DiffPageOptions& options) {
  const bool chinese = options.language == Language::chinese;
  Page page(options.colour, options.verbose ? 0 : kPageColumns);
  const double speed =
      static_cast<double>(diff.before_step_ns) / static_cast<double>(std::max<Nanos>(diff.after_step_ns, 1));
  std::array<char, 32> times{};
  std::snprintf(times.data(), times.size(), "%.2fx", speed);
  page.line(page.bold((chinese ? "步时 " : "step ") + duration_text(diff.before_step_ns) + " -> " +
                      duration_text(diff.after_step_ns) + "   " + signed_percent(diff.change_fraction()) +
                      "   " + times.data()));
  page.sentence((chinese ? "GPU 工作 " : "GPU busy ") + duration_text(diff.before_busy_ns) + " -> " +
                    duration_text(diff.after_busy_ns) + (chinese ? "；每步 kernel " : "; kernels a step ") +
                    count_text(diff.before_launches) + " -> " + count_text(diff.after_launches),
                2);
  if (!diff.before_corrected || !diff.after_corrected)
    page.sentence(
        chinese ? "分析时的步时：主机被拖慢。可用 --step-time-before 与 --step-time-after 给出未分析的步时。"
                : "Steps as profiled, the host slowed down: give --step-time-before and --step-time-after "
                  "for the real ones.",
        2, "2");
  promises(page, diff, chinese);
  page.title(chinese ? "按算子" : "By operator", chinese ? "每步" : "per step");
  Table table({{chinese ? "算子" : "operator"},
               {chinese ? "阶段" : "phase"},
               {chinese ? "之前" : "before", Align::right},
               {chinese ? "之后" : "after", Align::right},
               {chinese ? "变化" : "change", Align::right},
               {"kernel", Align::right}});
  const std::size_t most = options.verbose ? diff.rows.size() : 14;
  for (std::size_t i = 0; i < std::min(most, diff.rows.size()); ++i) {
    const DiffRow& row = diff.rows[i];
    table.add({operator_text(row.operator_name, options.language), row.phase,
               row.before_ns < 0 ? "-" : duration_text(row.before_ns),
               row.after_ns < 0 ? "-" : duration_text(row.after_ns), signed_duration(row.change_ns()),
               count_text(row.before_events) + " -> " + count_text(row.after_events)});
  }
  page.table(table);
  return page.take();
}

std::string diff_json(const Diff& diff) {
  std::string out;
  JsonWriter json(out);
  json.open_object();
  json.field("schema", "pagoda.diff/1");
  json.field("before_step_ns", diff.before_step_ns);
  json.field("after_step_ns", diff.after_step_ns);
  json.field("change_fraction", diff.change_fraction());
  json.field("before_gpu_busy_ns", diff.before_busy_ns);
  json.field("after_gpu_busy_ns", diff.after_busy_ns);
  json.field("before_launches", diff.before_launches);
  json.field("after_launches", diff.after_launches);
  json.open_array("operators");
  for (const DiffRow& row : diff.rows) {
    json.open_object(JsonWriter::Layout::one_line);
    json.field("operator", row.operator_name);
    json.field("phase", row.phase);
    json.field_or_null("before_ns", row.before_ns);
    json.field_or_null("after_ns", row.after_ns);
    json.field("change_ns", row.change_ns());
    json.field("before_events", row.before_events);
    json.field("after_events", row.after_events);
    json.close();
  }
  json.close();
  json.open_array("predictions");
  for (std::size_t i = 0; i < diff.promises.size(); ++i) {
    const Promise& promise = diff.promises[i];
    json.open_object(JsonWriter::Layout::one_line);
    json.field("action", promise.action_id);
    json.field("operator", promise.operator_name);
    json.field("low_ns", promise.step_after_cumulative_ns.low);
    json.field("likely_ns", promise.step_after_cumulative_ns.likely);
    json.field("high_ns", promise.step_after_cumulative_ns.high);
    json.field("nearest_to_achieved", diff.nearest_promise == i);
    json.close();
  }
  json.close();
  json.close();
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace pagoda
