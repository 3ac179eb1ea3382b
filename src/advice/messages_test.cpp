// Every sentence that the code can say exists, and gets all the arguments that it asks for in both languages.
#include "advice/messages.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "advice/testing/made_up.h"

namespace pagoda {
namespace {

using testing::made_of;
using Kind = OperatorKind;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Ids look like "question.share". A literal of that form whose first word is that of some message is meant
/// as one.
std::set<std::string> ids_used() {
  std::set<std::string> first_words;
  for (const MessageText& text : message_texts()) first_words.emplace(text.id.substr(0, text.id.find('.')));
  static const std::regex kId(R"rx("@?([a-z]+)\.([a-z0-9_]+)")rx");
  std::set<std::string> ids;
  for (const char* folder : {"advice", "report"}) {
    const auto root = std::filesystem::path(PAGODA_SOURCE_DIR) / "src" / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string name = entry.path().filename().string();
      if (entry.path().extension() != ".cpp" || name == "messages.cpp" || name.ends_with("_test.cpp"))
        continue;
      const std::string text = text_of(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), kId), end; at != end; ++at) {
        if ((*at)[2] == "jsonl") continue;  // a file
        if (first_words.contains((*at)[1].str())) ids.insert((*at)[1].str() + "." + (*at)[2].str());
      }
    }
  }
  return ids;
}

TEST(Messages, EveryIdInTheCodeExists) {
  const std::set<std::string> ids = ids_used();
  EXPECT_GT(ids.size(), 70u) << "the search finds nothing";
  for (const std::string& id : ids) EXPECT_NE(find_message_text(id), nullptr) << id;
}

TEST(Messages, NoSentenceIsLeftThatNobodySays) {
  const std::set<std::string> ids = ids_used();
  for (const MessageText& text : message_texts()) {
    const std::string group(text.id.substr(0, text.id.find('.')));
    // Built from the name of a value: "bound." + bound_name(...).
    if (group == "operator" || group == "bound" || group == "bucket" || group == "tier") continue;
    EXPECT_TRUE(ids.contains(std::string(text.id))) << text.id;
  }
}

/// What a template asks for and the message does not give. A sentence inside a sentence shares its arguments.
std::set<std::string> missing(const Message& message, std::string_view text, int depth = 0) {
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string_view::npos; ++at) {
    const std::string name(text.substr(at + 1, text.find('}', at) - at - 1));
    const auto found = std::find_if(message.args.begin(), message.args.end(),
                                    [&](const auto& arg) { return arg.first == name; });
    if (found == message.args.end()) {
      names.insert(name);
    } else if (found->second.starts_with('@') && depth < 3) {
      const MessageText* inner = find_message_text(std::string_view(found->second).substr(1));
      if (!inner) {
        names.insert(found->second);
        continue;
      }
      for (std::string_view language : {inner->en, inner->zh})
        names.merge(missing(message, language, depth + 1));
    }
  }
  return names;
}

void expect_sayable(const Message& message) {
  const MessageText* text = find_message_text(message.id);
  ASSERT_NE(text, nullptr) << message.id;
  for (std::string_view language : {text->en, text->zh}) {
    for (const std::string& name : missing(message, language))
      ADD_FAILURE() << message.id << " lacks " << name;
  }
}

void expect_sayable(const std::vector<PathStep>& path) {
  for (const PathStep& step : path) {
    expect_sayable(step.question);
    expect_sayable(step.answer);
  }
}

void expect_sayable(const Plan& plan) {
  expect_sayable(plan.headline);
  for (const Message& each : plan.summary) expect_sayable(each);
  for (const Message& each : plan.doubts) expect_sayable(each);
  for (const LadderStep& each : plan.ladder) expect_sayable(each.title);
  for (const Declined& each : plan.declined) {
    expect_sayable(each.why);
    expect_sayable(each.reason_path);
  }
  for (const Action& action : plan.actions) {
    expect_sayable(action.title);
    expect_sayable(action.reason_path);
    for (const Evidence& each : action.evidence) expect_sayable(each.text);
    for (const TierEstimate& each : action.tiers) expect_sayable(each.evidence.text);
    for (const Message& each : action.risks) expect_sayable(each);
    for (const ChecklistItem& each : action.checklist) {
      expect_sayable(each.criterion);
      expect_sayable(each.evidence);
    }
  }
}

TEST(Messages, PlansGiveEveryArgumentThatTheirSentencesAskFor) {
  constexpr Nanos kMicro = 1'000;
  PlanOptions full;
  full.project = {2.5, 64, 900, 5, 24, {"python", "cuda"}, true};
  PlanOptions bare;
  bare.catalogue = Catalogue::from_toml("", "none");
  for (PlanOptions options : {PlanOptions{}, full, bare}) {
    for (const char* preset : {"tree", "last_resort"}) {
      options.policy = options.policy.with_preset(preset);
      for (int kind = 0; kind < static_cast<int>(kOperatorKindCount); ++kind) {
        for (Nanos host_ns : {2 * kMicro, 200 * kMicro}) {
          testing::MadeOperator gemm{Kind::gemm, 10, 1, 300 * kMicro, 250 * kMicro, Bound::compute, "nvjet"};
          gemm.flops = 1e12;
          gemm.sol_fraction = 0.5;
          const Plan plan = made_of({{static_cast<Kind>(kind), 10, 4, 50 * kMicro, 20 * kMicro, Bound::memory,
                                      "a", "nchwToNhwc"},
                                     gemm},
                                    host_ns)
                                .plan(options);
          expect_sayable(plan);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pagoda
