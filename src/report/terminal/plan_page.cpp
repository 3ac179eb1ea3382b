#include "report/terminal/plan_page.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "core/error.h"
#include "report/terminal/page.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

constexpr std::size_t kBarCells = 36;

struct Words {
  std::string_view en;
  std::string_view zh;
};

std::string times_text(double factor) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), factor < 10 ? "%.2fx" : "%.1fx", factor);
  return text.data();
}

std::string bar(double fraction) {
  const auto cells = static_cast<std::size_t>(fraction * kBarCells + 0.5);
  std::string text;
  for (std::size_t i = 0; i < cells; ++i) text += "█";
  if (cells == 0 && fraction > 0) text = "▏";
  return text;
}

class PlanPage {
 public:
  PlanPage(const Plan& plan, const PlanPageOptions& options)
      : plan_(plan), options_(options), page_(options.colour, options.verbose ? 0 : kPageColumns) {}

  std::string decision() {
    write_head();
    if (plan_.analysis.devices.empty()) {
      page_.blank();
      page_.sentence(word({"There is no GPU work in this profile: nothing to decide.",
                           "此记录中没有 GPU 工作，无可决策。"}),
                     2, "1");
      return page_.take();
    }
    write_headline();
    write_step();
    write_actions();
    write_path();
    write_declined();
    write_doubts();
    write_next();
    return page_.take();
  }

  std::string action(const Action& action) {
    page_.line(
        page_.bold(std::to_string(action.rank) + "  " + message_text(action.title, options_.language)) +
        "   " + action.id + "   " + tier_text(action.tier, options_.language));
    page_.blank();
    write_gain(action);
    write_reasons(action);
    write_tiers(action);
    write_evidence(action);
    write_checklist(action);
    write_implementations(action);
    write_list(word({"Risks", "风险"}), action.risks);
    write_names(word({"Kernels it replaces", "被替代的 kernel"}), action.kernels);
    write_names(word({"Shapes", "形状"}), action.shapes);
    return page_.take();
  }

 private:
  std::string word(const Words& words) const {
    return std::string(options_.language == Language::chinese ? words.zh : words.en);
  }
  std::string text(const Message& message) const { return message_text(message, options_.language); }

  void write_head() {
    std::string file = plan_.analysis.files.empty() ? "" : printable(plan_.analysis.files.front().path);
    file = file.substr(file.rfind('/') + 1);
    if (plan_.analysis.files.size() > 1) file += " +" + std::to_string(plan_.analysis.files.size() - 1);
    std::string line = "pagoda plan   " + file + "   " + printable(plan_.device_name);
    if (plan_.step_ns > 0) {
      line += "   " + plural_text(plan_.steps, "step", "steps") + ", ";
      line += plan_.corrected ? word({"unprofiled step ", "未分析的步时 "})
                              : word({"profiled step ", "分析时的步时 "});
      line += duration_text(plan_.step_ns);
    }
    page_.line(page_.bold(page_.columns() ? shorten(line, page_.columns()) : line));
  }

  void write_headline() {
    page_.blank();
    page_.sentence(text(plan_.headline), 2, "1");
    for (const Message& sentence : plan_.summary) page_.sentence(text(sentence), 2);
  }

  void write_step() {
    std::string remark = plan_.corrected
                             ? word({"profiled ", "分析时 "}) + duration_text(plan_.profiled_step_ns) +
                                   word({", corrected to ", "，修正为 "}) + duration_text(plan_.step_ns)
                             : word({"as profiled", "分析时"});
    Nanos left_ns = plan_.step_ns;
    for (const auto& [bucket, time_ns] : plan_.step_buckets_ns) left_ns -= time_ns;
    remark +=
        word({"; check: step - buckets = ", "；校验：步时 - 各桶 = "}) + std::to_string(left_ns) + " ns";
    page_.title(word({"Where a step goes", "一步的时间去向"}), remark);
    Table table({{"", Align::left},
                 {"", Align::right},
                 {"", Align::right},
                 {"", Align::left},
                 {"", Align::left, true}});
    auto rows = plan_.step_buckets_ns;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [bucket, time_ns] : rows) {
      if (time_ns <= 0) continue;
      const double part =
          static_cast<double>(time_ns) / static_cast<double>(std::max<Nanos>(plan_.step_ns, 1));
      table.add({bucket_text(bucket, options_.language), duration_text(time_ns), percent_text(part, 1),
                 bar(part), inside(bucket)});
    }
    page_.table(table, false);
  }

  /// The operators that make most of a bucket of kernels.
  std::string inside(Bucket bucket) const {
    const Bound bound = bucket == Bucket::compute_bound   ? Bound::compute
                        : bucket == Bucket::memory_bound  ? Bound::memory
                        : bucket == Bucket::latency_bound ? Bound::latency
                                                          : Bound::unknown;
    if (bound == Bound::unknown) return {};
    std::vector<std::pair<std::string, Nanos>> names;
    for (const PlanOperator& row : plan_.operators) {
      if (row.bound != bound) continue;
      auto known = std::find_if(names.begin(), names.end(),
                                [&](const auto& each) { return each.first == row.operator_name; });
      if (known == names.end()) known = names.insert(names.end(), {row.operator_name, 0});
      known->second += row.time_ns;
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i) {
      const std::string name = operator_text(names[i].first, options_.language);
      out += (i ? ", " : "") + name.substr(0, name.find(" (")) + " " + duration_text(names[i].second);
    }
    return out;
  }

  void write_actions() {
    page_.title(word({"What to do", "该做什么"}),
                word({"in this order, each on top of those before it", "按此顺序，逐项叠加"}));
    Table table({{"", Align::right},
                 {"", Align::left, true},
                 {word({"tier", "层级"})},
                 {word({"step after (low .. high)", "之后的步时（低 .. 高）"})},
                 {word({"speed", "加速"}), Align::right},
                 {word({"cost", "成本"})},
                 {word({"payback", "回本"}), Align::right}});
    for (const Action& action : plan_.actions) {
      const double speed = static_cast<double>(plan_.step_ns) /
                           static_cast<double>(std::max<Nanos>(action.step_after_cumulative_ns.likely, 1));
      table.add({std::to_string(action.rank), text(action.title), tier_text(action.tier, options_.language),
                 range_text(action.step_after_cumulative_ns), times_text(speed),
                 days_text(action.dev_days_low, action.dev_days_high), payback(action)});
    }
    if (table.empty()) {
      page_.sentence(word({"nothing: keep PyTorch", "无需行动：保持 PyTorch"}), 2);
    } else {
      page_.table(table);
    }
  }

  std::string payback(const Action& action) const {
    if (!action.payback_days) return "-";
    std::array<char, 32> days{};
    std::snprintf(days.data(), days.size(), "%.0f d", *action.payback_days);
    return days.data();
  }

  void write_path() {
    if (plan_.actions.empty()) return;
    page_.title(word({"Why", "为什么"}), word({"the branches of the decision tree", "决策树的分支"}));
    const std::size_t shown =
        options_.verbose ? plan_.actions.size() : std::min<std::size_t>(plan_.actions.size(), 2);
    for (std::size_t i = 0; i < shown; ++i) {
      page_.sentence(std::to_string(plan_.actions[i].rank) + "  " + path_text(plan_.actions[i].reason_path),
                     2);
    }
  }

  std::string path_text(const std::vector<PathStep>& path) const {
    std::string out;
    for (const PathStep& step : path)
      out += (out.empty() ? "" : " -> ") + text(step.question) + " " + text(step.answer);
    return out;
  }

  void write_declined() {
    if (plan_.declined.empty()) return;
    page_.title(word({"Not now", "暂不做"}));
    const std::size_t most = options_.verbose ? plan_.declined.size() : 4;
    for (std::size_t i = 0; i < std::min(most, plan_.declined.size()); ++i) {
      const Declined& row = plan_.declined[i];
      page_.sentence(operator_text(row.operator_name, options_.language) + ": " + text(row.why), 2);
    }
    if (plan_.declined.size() > most)
      page_.line(page_.dim("  " + std::to_string(plan_.declined.size() - most) +
                           word({" more: --verbose", " 项更多：--verbose"})));
  }

  void write_doubts() {
    write_list(word({"Doubts", "疑点"}), plan_.doubts);
    if (!options_.verbose) return;
    page_.title(word({"Operators", "算子"}), word({"per step", "每步"}));
    Table table({{word({"share", "占比"}), Align::right},
                 {word({"time", "时间"}), Align::right},
                 {word({"operator", "算子"})},
                 {word({"phase", "阶段"})},
                 {word({"bound", "瓶颈"})},
                 {"SOL", Align::right},
                 {word({"known by", "依据"})},
                 {word({"shapes", "形状"})}});
    for (const PlanOperator& row : plan_.operators) {
      table.add({percent_text(row.share_fraction, 1), duration_text(row.time_ns), row.operator_name,
                 row.phase, bound_text(row.bound, options_.language),
                 row.sol_fraction < 0 ? "?" : percent_text(row.sol_fraction, 1), row.known_by,
                 printable(row.shapes)});
    }
    page_.table(table);
  }

  void write_next() {
    page_.blank();
    const std::string trace = options_.command.empty() ? "TRACE" : printable(options_.command);
    std::string line = word({"Next   ", "下一步   "});
    if (!plan_.actions.empty()) line += "pagoda explain " + plan_.actions.front().id + " " + trace + "   ";
    line += "pagoda plan " + trace + " --html report.html";
    page_.line(page_.dim(line));
  }

  void write_gain(const Action& action) {
    page_.sentence(word({"Step now ", "现在每步 "}) + duration_text(plan_.step_ns) +
                       word({"; alone it takes ", "；单独做："}) + range_text(action.step_after_alone_ns) +
                       word({", in order ", "，依次做："}) + range_text(action.step_after_cumulative_ns) +
                       ".",
                   2);
    page_.sentence(word({"Operator time ", "算子时间 "}) + duration_text(action.time_now_ns) +
                       word({", floor ", "，下限 "}) + duration_text(action.floor_ns) +
                       word({"; share of the step ", "；占每步 "}) + percent_text(action.share_fraction, 1) +
                       word({". ROI band ", "。ROI 档 "}) + action.roi_band.label +
                       word({": promises ", "：承诺 "}) +
                       percent_text(action.roi_band.promised_low_fraction, 1) + " .. " +
                       percent_text(action.roi_band.promised_high_fraction, 1) +
                       word({", predicted here ", "，此处预测 "}) +
                       percent_text(1 - static_cast<double>(action.step_after_alone_ns.likely) /
                                            static_cast<double>(std::max<Nanos>(plan_.step_ns, 1)),
                                    1) +
                       ".",
                   2);
    if (action.saving_per_month) {
      std::array<char, 64> money{};
      std::snprintf(money.data(), money.size(), "%.0f", *action.saving_per_month);
      page_.sentence(word({"Saves ", "每月节省 "}) + std::string(money.data()) +
                         word({" a month; payback ", "；回本 "}) + payback(action) + ".",
                     2);
    }
  }

  void write_reasons(const Action& action) {
    page_.title(word({"Path", "路径"}));
    for (const PathStep& step : action.reason_path)
      page_.sentence(text(step.question) + "  " + text(step.answer), 2);
  }

  void write_tiers(const Action& action) {
    page_.title(
        word({"The tiers", "三个层级"}),
        word({"step after this action alone, from where the ladder stands", "在此前行动之后单做此项的步时"}));
    Table table({{word({"tier", "层级"})},
                 {word({"operator time", "算子时间"})},
                 {word({"step after", "之后的步时"})},
                 {word({"days", "人天"})}});
    for (const TierEstimate& row : action.tiers) {
      table.add({tier_text(row.tier, options_.language), range_text(row.operator_time_ns),
                 range_text(row.step_after_alone_ns),
                 row.dev_days.high > 0 ? days_text(row.dev_days.low, row.dev_days.high) : "-"});
    }
    page_.table(table);
  }

  void write_evidence(const Action& action) {
    page_.title(word({"Evidence", "证据"}));
    for (const Evidence& row : action.evidence) page_.sentence("[" + row.source + "] " + text(row.text), 2);
  }

  void write_checklist(const Action& action) {
    if (action.checklist.empty()) return;
    page_.title(word({"Checklist", "检查清单"}));
    Table table({{""}, {""}, {""}, {"", Align::left, true}});
    for (const ChecklistItem& item : action.checklist) {
      table.add({item.met ? (*item.met ? "[x]" : "[ ]") : "[?]", tier_text(item.tier, options_.language),
                 text(item.criterion), text(item.evidence)});
    }
    page_.table(table, false);
  }

  void write_implementations(const Action& action) {
    if (action.implementations.empty()) return;
    page_.title(word({"Known implementations", "已知实现"}));
    for (const Implementation& row : action.implementations) {
      page_.line("  " + page_.bold(row.name) + "  " + row.version_seen + ", " + row.licence);
      page_.sentence(row.switch_on, 4);
      page_.sentence(row.limits, 4, "2");
    }
  }

  void write_list(const std::string& title, const std::vector<Message>& messages) {
    if (messages.empty()) return;
    page_.title(title);
    for (const Message& each : messages) page_.sentence(text(each), 2);
  }

  void write_names(const std::string& title, const std::vector<std::string>& names) {
    if (names.empty()) return;
    page_.title(title);
    for (const std::string& name : names) {
      const std::string shown = "  " + printable(name);
      page_.line(page_.columns() ? shorten(shown, page_.columns()) : shown);
    }
  }

  const Plan& plan_;
  const PlanPageOptions& options_;
  Page page_;
};

}  // namespace

std::string plan_page(const Plan& plan, const PlanPageOptions& options) {
  return PlanPage(plan, options).decision();
}

std::string action_page(const Plan& plan, std::string_view which, const PlanPageOptions& options) {
  int rank = 0;
  std::from_chars(which.data(), which.data() + which.size(), rank);
  std::string known;
  for (const Action& action : plan.actions) {
    if (action.id == which || action.rank == rank) return PlanPage(plan, options).action(action);
    known += (known.empty() ? "" : ", ") + std::to_string(action.rank) + " " + action.id;
  }
  throw Error("the plan has no action '" + printable(which) + "'", {},
              known.empty() ? "it proposes none for this profile" : "its actions: " + known);
}

}  // namespace pagoda
