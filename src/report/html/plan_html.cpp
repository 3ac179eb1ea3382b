#include "report/html/plan_html.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "report/html/content_hash.h"
#include "report/html/html_text.h"
#include "report/json/json_writer.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace embedded {
extern const std::string_view page_css;
extern const std::string_view page_js;
extern const std::string_view d3_js;
}  // namespace embedded

namespace {

std::string fixed(double value, int digits) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

double part_of(Nanos part, Nanos whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

class HtmlPage {
 public:
  HtmlPage(const Plan& plan, Language language) : plan_(plan), language_(language) {}

  std::string write() {
    head();
    body_head();
    cards();
    account();
    actions();
    ladder();
    roofline();
    operators();
    declined();
    ranks();
    doubts();
    diagnostics();
    tail();
    return std::move(out_);
  }

 private:
  const char* word(const char* en, const char* zh) const { return language_ == Language::chinese ? zh : en; }
  std::string text(const Message& message) const { return html_text(message_text(message, language_)); }
  void title(const char* en, const char* zh, const std::string& remark = {}) {
    out_ += "<h2>" + std::string(word(en, zh));
    if (!remark.empty()) out_ += "<small>" + remark + "</small>";
    out_ += "</h2>\n";
  }
  std::string file_name() const {
    if (plan_.analysis.files.empty()) return "profile";
    const std::string& path = plan_.analysis.files.front().path;
    return path.substr(path.rfind('/') + 1);
  }

  void head() {
    const std::string css(embedded::page_css);
    out_ += "<!DOCTYPE html>\n<html lang=\"" + std::string(word("en", "zh-CN")) +
            "\"><head><meta charset=\"utf-8\">\n";
    out_ +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
        "form-action 'none'; style-src '" +
        content_security_hash(css) + "'; script-src '" + content_security_hash(embedded::d3_js) + "' '" +
        content_security_hash(embedded::page_js) + "'\">\n";
    out_ += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Pagoda: " +
            html_text(file_name()) + "</title>\n";
    out_ += "<style>" + css + "</style></head><body>\n";
  }

  void body_head() {
    out_ += "<h1>Pagoda &middot; " + html_text(file_name()) + " &middot; " + html_text(plan_.device_name) +
            "</h1>\n";
    out_ += "<p class=\"headline\">" + text(plan_.headline) + "</p>\n";
    for (const Message& sentence : plan_.summary) out_ += "<p class=\"summary\">" + text(sentence) + "</p>\n";
  }

  void card(const std::string& value, const char* en, const char* zh) {
    out_ += "<div class=\"card\"><b>" + value + "</b><span>" + word(en, zh) + "</span></div>";
  }

  void cards() {
    if (plan_.step_ns <= 0) return;
    const Nanos last = plan_.ladder.empty() ? plan_.step_ns : plan_.ladder.back().step_ns.likely;
    out_ += "<div class=\"cards\">";
    card(duration_text(plan_.step_ns), plan_.corrected ? "a step, unprofiled" : "a step, as profiled",
         plan_.corrected ? "每步（未分析）" : "每步（分析时）");
    card(duration_text(last), "after all actions, likely", "全部行动之后（多半）");
    card(fixed(part_of(plan_.step_ns, std::max<Nanos>(last, 1)), 2) + "x", "speed-up, likely",
         "加速（多半）");
    card(percent_text(part_of(plan_.gpu_busy_per_step_ns, plan_.step_ns), 1), "GPU busy", "GPU 工作");
    card(count_text(plan_.launch_count_per_step), "kernels a step", "每步 kernel 数");
    card(percent_text(plan_.modelled_fraction, 1), "of GPU time modelled", "GPU 时间已建模");
    out_ += "</div>\n";
  }

  void account() {
    if (plan_.step_buckets_ns.empty()) return;
    Nanos left_ns = plan_.step_ns;
    for (const auto& [bucket, time_ns] : plan_.step_buckets_ns) left_ns -= time_ns;
    title("Where a step goes", "一步的时间去向",
          std::string(word("check: step - buckets = ", "校验：步时 - 各桶 = ")) + std::to_string(left_ns) +
              " ns");
    out_ += "<svg viewBox=\"0 0 1000 34\" role=\"img\" aria-label=\"account\">";
    double x = 0;
    for (const auto& [bucket, time_ns] : plan_.step_buckets_ns) {
      const double width = 1000 * part_of(time_ns, plan_.step_ns);
      if (width <= 0) continue;
      out_ += "<rect class=\"" + std::string(bucket_name(bucket)) + "\" x=\"" + fixed(x, 2) +
              "\" y=\"0\" width=\"" + fixed(width, 2) + "\" height=\"34\"><title>" +
              html_text(bucket_text(bucket, language_)) + " " + duration_text(time_ns) + "</title></rect>";
      x += width;
    }
    out_ += "</svg>\n<div class=\"scroll\"><table><tbody>";
    auto rows = plan_.step_buckets_ns;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [bucket, time_ns] : rows) {
      if (time_ns <= 0) continue;
      out_ += "<tr><td><svg class=\"key\" viewBox=\"0 0 1 1\"><rect class=\"" +
              std::string(bucket_name(bucket)) + "\" width=\"1\" height=\"1\"/></svg>" +
              html_text(bucket_text(bucket, language_)) + "</td><td class=\"n\">" + duration_text(time_ns) +
              "</td><td class=\"n\">" + percent_text(part_of(time_ns, plan_.step_ns), 1) + "</td></tr>";
    }
    out_ += "</tbody></table></div>\n";
  }

  void actions() {
    if (plan_.ladder.empty()) return;
    title("What to do", "该做什么",
          word("in this order, each on top of those before it", "按此顺序，逐项叠加"));
    if (plan_.actions.empty())
      out_ += "<p>" + std::string(word("Nothing: keep PyTorch.", "无需行动：保持 PyTorch。")) + "</p>";
    for (const Action& action : plan_.actions) {
      out_ += "<details id=\"" + html_text(action.id) + "\"" + (action.rank == 1 ? " open" : "") +
              "><summary>" + std::to_string(action.rank) + ". " + text(action.title) +
              "<span class=\"tier\">" + tier_text(action.tier, language_) + "</span><span class=\"after\">" +
              range_text(action.step_after_cumulative_ns) + " &middot; " +
              days_text(action.dev_days_low, action.dev_days_high) + "</span></summary>\n";
      action_body(action);
      out_ += "</details>\n";
    }
  }

  void action_body(const Action& action) {
    out_ += "<ol class=\"path\">";
    for (const PathStep& step : action.reason_path)
      out_ += "<li><b>" + text(step.question) + "</b> " + text(step.answer) + "</li>";
    out_ += "</ol><div class=\"scroll\"><table><thead><tr><th>" + std::string(word("tier", "层级")) +
            "</th><th class=\"n\">" + word("operator time", "算子时间") + "</th><th class=\"n\">" +
            word("step after", "之后的步时") + "</th><th class=\"n\">" + word("days", "人天") +
            "</th></tr></thead><tbody>";
    for (const TierEstimate& row : action.tiers) {
      out_ += "<tr><td>" + tier_text(row.tier, language_) + (row.tier == action.tier ? " &#8592;" : "") +
              "</td><td class=\"n\">" + range_text(row.operator_time_ns) + "</td><td class=\"n\">" +
              range_text(row.step_after_alone_ns) + "</td><td class=\"n\">" +
              (row.dev_days.high > 0 ? days_text(row.dev_days.low, row.dev_days.high) : "-") + "</td></tr>";
    }
    out_ += "</tbody></table></div><p>" + std::string(word("Now ", "现在 ")) +
            duration_text(action.time_now_ns) + word(" a step, floor ", " 每步，下限 ") +
            duration_text(action.floor_ns) + "; " + word("ROI band ", "ROI 档 ") +
            html_text(action.roi_band.label) + " (" + html_text(action.roi_band.cost) + ")";
    if (action.saving_per_month)
      out_ += "; " + std::string(word("saves ", "每月节省 ")) + fixed(*action.saving_per_month, 0) +
              word(" a month", "");
    if (action.payback_days)
      out_ += "; " + std::string(word("payback ", "回本 ")) + fixed(*action.payback_days, 0) + " d";
    out_ += "</p>";
    list(word("Evidence", "证据"), action.evidence.size(), [&](std::size_t i) {
      return "[" + action.evidence[i].source + "] " + text(action.evidence[i].text);
    });
    list(word("Risks", "风险"), action.risks.size(), [&](std::size_t i) { return text(action.risks[i]); });
    if (!action.implementations.empty()) {
      out_ += "<p class=\"dim\">" + std::string(word("Known implementations", "已知实现")) + "</p><ul>";
      for (const Implementation& row : action.implementations)
        out_ += "<li>" + html_text(row.name) + " <span class=\"dim\">" + html_text(row.version_seen) + ", " +
                html_text(row.licence) + "</span><br><code>" + html_text(row.switch_on) +
                "</code><br><span class=\"dim\">" + html_text(row.limits) + "</span></li>";
      out_ += "</ul>";
    }
    if (!action.checklist.empty()) checklist(action);
    list(word("Kernels it replaces", "被替代的 kernel"), action.kernels.size(),
         [&](std::size_t i) { return "<code>" + html_text(action.kernels[i]) + "</code>"; });
  }

  void checklist(const Action& action) {
    out_ += "<p class=\"dim\">" + std::string(word("Checklist", "检查清单")) + "</p><table><tbody>";
    for (const ChecklistItem& item : action.checklist) {
      const char* mark = !item.met ? "unknown" : *item.met ? "yes" : "no";
      out_ += "<tr><td>" + tier_text(item.tier, language_) + "</td><td class=\"check " + mark + "\">" +
              text(item.criterion) + "</td><td class=\"dim\">" + text(item.evidence) + "</td></tr>";
    }
    out_ += "</tbody></table>";
  }

  template <typename Item>
  void list(const char* heading, std::size_t count, const Item& item) {
    if (count == 0) return;
    out_ += "<p class=\"dim\">" + std::string(heading) + "</p><ul>";
    for (std::size_t i = 0; i < count; ++i) out_ += "<li>" + item(i) + "</li>";
    out_ += "</ul>";
  }

  void ladder() {
    if (plan_.ladder.size() < 2) return;
    title("Ladder", "阶梯",
          word("step after each action; the line is the interval", "每项行动之后的步时；横线为区间"));
    constexpr int kRow = 34;
    const auto rows = static_cast<int>(plan_.ladder.size());
    out_ += "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 1000 " +
            std::to_string(rows * kRow + 4) + "\" role=\"img\" aria-label=\"ladder\">";
    const double scale = 560.0 / static_cast<double>(std::max<Nanos>(plan_.step_ns, 1));
    for (int i = 0; i < rows; ++i) {
      const LadderStep& step = plan_.ladder[static_cast<std::size_t>(i)];
      const int y = i * kRow;
      const auto at = [&](Nanos time_ns) { return fixed(290 + scale * static_cast<double>(time_ns), 1); };
      out_ += "<text x=\"0\" y=\"" + std::to_string(y + 19) + "\">" +
              html_text(shorten(message_text(step.title, language_), 42)) + "</text>";
      out_ += "<rect class=\"memory_bound\" x=\"290\" y=\"" + std::to_string(y + 5) + "\" width=\"" +
              fixed(scale * static_cast<double>(step.step_ns.likely), 1) + "\" height=\"20\"/>";
      out_ += "<line class=\"whisker\" x1=\"" + at(step.step_ns.low) + "\" x2=\"" + at(step.step_ns.high) +
              "\" y1=\"" + std::to_string(y + 15) + "\" y2=\"" + std::to_string(y + 15) + "\"/>";
      out_ += "<text x=\"" +
              fixed(300 + scale * static_cast<double>(std::max(step.step_ns.high, step.step_ns.likely)), 1) +
              "\" y=\"" + std::to_string(y + 19) + "\">" + duration_text(step.step_ns.likely) + "</text>";
    }
    out_ += "</svg></div>\n";
  }

  void roofline() {
    if (plan_.operators.empty()) return;
    std::string remark = plan_.hardware_known ? html_text(plan_.device_name)
                                              : std::string(word("GPU unknown: no roof", "GPU 未知：无上限"));
    title("Roofline", "Roofline", remark);
    const std::string label =
        word("Roofline: FLOP/s over arithmetic intensity, one circle an operator, its area the time",
             "Roofline：纵轴 FLOP/s，横轴算术强度；圆为算子，面积为时间");
    out_ += "<div id=\"roofline\" class=\"scroll\" data-label=\"" + label + "\"><p class=\"dim\">" +
            word("The plot needs JavaScript; the table below has the same figures.",
                 "此图需要 JavaScript；下表有同样的数字。") +
            "</p></div>\n";
  }

  void operators() {
    if (plan_.operators.empty()) return;
    title("Operators", "算子", word("per step", "每步"));
    out_ += "<div class=\"scroll\"><table id=\"operators\" data-filter=\"" +
            std::string(word("filter operators", "筛选算子")) + "\"><thead><tr><th>" +
            word("operator", "算子") + "</th><th>" + word("phase", "阶段") + "</th><th class=\"n\">" +
            word("time", "时间") + "</th><th class=\"n\">" + word("share", "占比") + "</th><th>" +
            word("bound", "瓶颈") +
            "</th><th class=\"n\">SOL</th><th class=\"n\">FLOP/B</th><th class=\"n\">" +
            word("achieved", "达到") + "</th><th>" + word("known by", "依据") +
            "</th><th class=\"n\">kernels</th><th>" + word("shapes", "形状") + "</th></tr></thead><tbody>\n";
    for (const PlanOperator& row : plan_.operators) {
      const auto cell = [&](double value, const std::string& shown) {
        return "<td class=\"n\" data-v=\"" + fixed(value, 9) + "\">" + shown + "</td>";
      };
      out_ += "<tr><td>" + html_text(operator_text(row.operator_name, language_)) + "</td><td>" +
              html_text(row.phase) + "</td>" +
              cell(static_cast<double>(row.time_ns), duration_text(row.time_ns)) +
              cell(row.share_fraction, percent_text(row.share_fraction, 1)) + "<td>" +
              html_text(bound_text(row.bound, language_)) + "</td>" +
              cell(row.sol_fraction, (row.sol_fraction < 0 ? "?" : percent_text(row.sol_fraction, 1)) +
                                         (row.model_error ? " <span class=\"error\">!</span>" : "")) +
              cell(row.arithmetic_intensity,
                   row.arithmetic_intensity < 0 ? "?" : fixed(row.arithmetic_intensity, 1)) +
              cell(row.achieved_bytes_per_s,
                   row.achieved_bytes_per_s < 0 ? "?" : rate_text(row.achieved_bytes_per_s)) +
              "<td>" + html_text(row.known_by) + "</td>" +
              cell(static_cast<double>(row.gpu_events), count_text(row.gpu_events)) +
              "<td class=\"wide mono\">" + html_text(row.shapes) + "</td></tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }

  void declined() {
    if (plan_.declined.empty()) return;
    title("Not now", "暂不做");
    out_ += "<ul>";
    for (const Declined& row : plan_.declined)
      out_ +=
          "<li>" + html_text(operator_text(row.operator_name, language_)) + ": " + text(row.why) + "</li>";
    out_ += "</ul>\n";
  }

  void ranks() {
    if (plan_.analysis.devices.size() < 2) return;
    title("Ranks", "各 rank");
    out_ += "<div class=\"scroll\"><table><thead><tr><th class=\"n\">rank</th><th class=\"n\">" +
            std::string(word("device", "设备")) + "</th><th class=\"n\">" + word("window", "窗口") +
            "</th><th class=\"n\">" + word("busy", "工作") + "</th><th class=\"n\">" +
            word("exposed communication", "暴露的通信") + "</th><th class=\"n\">" + word("idle", "空闲") +
            "</th></tr></thead><tbody>";
    for (const DeviceAccount& row : plan_.analysis.devices) {
      out_ += "<tr><td class=\"n\">" + std::to_string(row.rank) + "</td><td class=\"n\">" +
              std::to_string(row.device) + "</td><td class=\"n\">" + duration_text(row.window_ns) +
              "</td><td class=\"n\">" + percent_text(part_of(row.busy_ns, row.window_ns), 1) +
              "</td><td class=\"n\">" +
              percent_text(part_of(row.exposed_communication_ns, row.window_ns), 1) +
              "</td><td class=\"n\">" + percent_text(part_of(row.idle_ns, row.window_ns), 1) + "</td></tr>";
    }
    out_ += "</tbody></table></div>\n";
    list(word("Stragglers", "落后者"), plan_.analysis.stragglers.size(), [&](std::size_t i) {
      return "rank " + std::to_string(plan_.analysis.stragglers[i].rank) + ": " +
             html_text(plan_.analysis.stragglers[i].why);
    });
  }

  void doubts() {
    if (plan_.doubts.empty() && plan_.analysis.warnings.empty()) return;
    title("Doubts", "疑点");
    out_ += "<ul>";
    for (const Message& doubt : plan_.doubts) out_ += "<li>" + text(doubt) + "</li>";
    for (const std::string& warning : plan_.analysis.warnings) out_ += "<li>" + html_text(warning) + "</li>";
    out_ += "</ul>\n";
  }

  void diagnostics() {
    if (plan_.analysis.diagnostics.empty()) return;
    title("Trace diagnostics", "记录诊断");
    out_ += "<div class=\"scroll\"><table><tbody>";
    for (const auto& [kind, entry] : plan_.analysis.diagnostics.entries()) {
      out_ += "<tr><td>" + html_text(kind) + "</td><td class=\"n\">" +
              count_text(static_cast<std::int64_t>(entry.count)) + "</td><td class=\"wide mono\">" +
              (entry.first_byte_offset ? "byte " + std::to_string(*entry.first_byte_offset) + " " : "") +
              html_text(entry.example) + "</td></tr>";
    }
    out_ += "</tbody></table></div>\n";
  }

  std::string data() const {
    std::string json;
    JsonWriter writer(json);
    writer.open_object(JsonWriter::Layout::one_line);
    writer.field("peak_flops", plan_.peak_flops);
    writer.field("bytes_per_s", plan_.dram_bytes_per_s);
    writer.open_array("operators", JsonWriter::Layout::one_line);
    for (const PlanOperator& row : plan_.operators) {
      writer.open_object(JsonWriter::Layout::one_line);
      writer.field("intensity", row.arithmetic_intensity);
      writer.field("flops_per_s", row.achieved_flops_per_s);
      writer.field("time_ns", row.time_ns);
      writer.field("bound", bound_name(row.bound));
      writer.field("text", operator_text(row.operator_name, language_) + " (" + row.phase + ")\n" +
                               printable(row.shapes) + "\n" + duration_text(row.time_ns) + ", " +
                               percent_text(row.share_fraction, 1) + ", " + bound_text(row.bound, language_) +
                               (row.sol_fraction < 0 ? "" : ", SOL " + percent_text(row.sol_fraction, 1)));
      writer.close();
    }
    writer.close();
    writer.close();
    return json_in_html(std::move(json));
  }

  void tail() {
    out_ += "<footer>" + std::string(word("Written by Pagoda", "由 Pagoda 生成"));
    if (!plan_.hardware_source.empty()) out_ += " &middot; " + html_text(plan_.hardware_source);
    out_ += " &middot; " + std::string(word("policy preset ", "策略 ")) + html_text(plan_.policy_preset) +
            "</footer>\n<div id=\"tip\"></div>\n";
    out_ += "<script type=\"application/json\" id=\"data\">" + data() + "</script>\n";
    out_ += "<script>" + std::string(embedded::d3_js) + "</script>\n<script>" +
            std::string(embedded::page_js) + "</script>\n</body></html>\n";
  }

  const Plan& plan_;
  Language language_;
  std::string out_;
};

}  // namespace

std::string plan_html(const Plan& plan, Language language) { return HtmlPage(plan, language).write(); }

}  // namespace pagoda
