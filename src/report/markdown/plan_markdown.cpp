#include "report/markdown/plan_markdown.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

/// Text from a profile or a message: nothing in it is taken for Markdown or HTML.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>#|~$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class Memo {
 public:
  Memo(const Plan& plan, Language language)
      : plan_(plan), chinese_(language == Language::chinese), language_(language) {}

  std::string write() {
    const std::string path = plan_.analysis.files.empty() ? "profile" : plan_.analysis.files.front().path;
    line(word("# Selection memo: ", "# 选型备忘：") + plain(path.substr(path.rfind('/') + 1)));
    section(word("Question", "问题"));
    line(word("Which tier (PyTorch, Triton, CUDA C++, or an existing implementation) should remove the "
              "bottleneck of this workload on ",
              "此工作负载的瓶颈应由哪个层级（PyTorch、Triton、CUDA C++ 或现成实现）消除？设备：") +
         plain(plan_.device_name) + (chinese_ ? "。" : "?"));
    if (plan_.step_ns <= 0) {
      line(word("There is no GPU work in this profile.", "此记录中没有 GPU 工作。"));
      return std::move(out_);
    }
    evidence();
    tiers();
    decision();
    cost();
    risks();
    return std::move(out_);
  }

 private:
  std::string word(const char* en, const char* zh) const { return chinese_ ? zh : en; }
  std::string text(const Message& message) const { return plain(message_text(message, language_)); }
  void line(const std::string& text) { (out_ += text) += "\n"; }
  void section(const std::string& title) { line("\n## " + title); }

  void evidence() {
    section(word("Evidence", "证据"));
    line(text(plan_.headline));
    for (const Message& sentence : plan_.summary) line("\n" + text(sentence));
    line("\n" + word("Step: ", "步时：") + duration_text(plan_.step_ns) +
         (plan_.corrected ? word(" (unprofiled; profiled ", "（未分析；分析时 ") +
                                duration_text(plan_.profiled_step_ns) + ")"
                          : word(" (as profiled)", "（分析时）")));
    line("\n| " + word("where the step goes", "时间去向") + " | " + word("time", "时间") + " | " +
         word("share", "占比") + " |\n|---|---:|---:|");
    for (const auto& [bucket, time_ns] : plan_.step_buckets_ns) {
      if (time_ns <= 0) continue;
      line("| " + plain(bucket_text(bucket, language_)) + " | " + duration_text(time_ns) + " | " +
           percent_text(static_cast<double>(time_ns), static_cast<double>(plan_.step_ns)) + " |");
    }
  }

  void tiers() {
    if (plan_.actions.empty()) return;
    section(word("The tiers compared", "层级比较"));
    line("| " + word("action", "行动") + " | PyTorch | Triton | CUDA C++ | " + word("existing", "现成实现") +
         " |\n|---|---|---|---|---|");
    for (const Action& action : plan_.actions) {
      std::string row = "| " + text(action.title) + " |";
      for (Tier tier : {Tier::pytorch, Tier::triton, Tier::cuda, Tier::existing}) {
        const auto found = std::find_if(action.tiers.begin(), action.tiers.end(),
                                        [&](const TierEstimate& each) { return each.tier == tier; });
        std::string cell = "-";
        if (found != action.tiers.end()) {
          cell = range_text(found->step_after_alone_ns);
          if (found->dev_days.high > 0) cell += ", " + days_text(found->dev_days.low, found->dev_days.high);
          if (tier == action.tier) cell = "**" + cell + "**";
        }
        row += " " + cell + " |";
      }
      line(row);
    }
    line("\n" + word("Each cell: the step after it, likely (low .. high), and the days of work; the decided "
                     "tier in bold.",
                     "每格：之后的步时，多半（低 .. 高），以及人天；粗体为所选层级。"));
  }

  void decision() {
    section(word("Decision", "决定"));
    if (plan_.actions.empty()) line(word("Keep PyTorch.", "保持 PyTorch。"));
    for (const Action& action : plan_.actions) {
      line(std::to_string(action.rank) + ". **" + text(action.title) + "** (" +
           tier_text(action.tier, language_) + "): " + range_text(action.step_after_cumulative_ns));
      std::string path;
      for (const PathStep& step : action.reason_path)
        path += (path.empty() ? "" : " -> ") + text(step.question) + " " + text(step.answer);
      line("   " + path);
      if (!action.implementations.empty()) line("   `" + action.implementations.front().switch_on + "`");
    }
    if (plan_.declined.empty()) return;
    line("\n" + word("Not now:", "暂不做："));
    for (const Declined& row : plan_.declined)
      line("- " + plain(operator_text(row.operator_name, language_)) + ": " + text(row.why));
  }

  void cost() {
    section(word("Cost", "成本"));
    double low = 0;
    double high = 0;
    double saving = 0;
    bool priced = false;
    for (const Action& action : plan_.actions) {
      low += action.dev_days_low;
      high += action.dev_days_high;
      if (action.saving_per_month) priced = true, saving += *action.saving_per_month;
    }
    line(word("Work: ", "工作量：") + days_text(low, high) + ".");
    std::array<char, 48> money{};
    std::snprintf(money.data(), money.size(), "%.0f", saving);
    line(priced ? word("Saves ", "每月节省 ") + money.data() + word(" a month when all is done.", "。")
                : word("Money: not given (--gpu-hour-cost, --gpus, --day-cost).",
                       "费用：未提供（--gpu-hour-cost、--gpus、--day-cost）。"));
  }

  void risks() {
    section(word("Risk", "风险"));
    std::set<std::string> said;
    for (const Action& action : plan_.actions) {
      for (const Message& risk : action.risks) {
        if (said.insert(risk.id).second) line("- " + text(action.title) + ": " + text(risk));
      }
    }
    for (const Message& doubt : plan_.doubts) line("- " + text(doubt));
    if (said.empty() && plan_.doubts.empty()) line(word("None known.", "未知。"));
  }

  const Plan& plan_;
  bool chinese_;
  Language language_;
  std::string out_;
};

}  // namespace

std::string plan_markdown(const Plan& plan, Language language) { return Memo(plan, language).write(); }

}  // namespace pagoda
