#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "advice/catalogue.h"
#include "advice/evidence.h"
#include "advice/make_plan.h"
#include "advice/messages.h"
#include "advice/policy.h"
#include "advice/project.h"
#include "advice/replay.h"
#include "advice/toml_reader.h"
#include "analysis/analyze.h"
#include "analysis/testing/trace_builder.h"
#include "core/error.h"

namespace pagoda {
namespace {

using testing::TraceBuilder;

constexpr Nanos kMicro = 1'000;

/// `kernels` kernels of `kernel_ns`, one launch every `host_ns`.
Trace stream_of(int kernels, Nanos kernel_ns, Nanos host_ns) {
  TraceBuilder builder;
  Nanos gpu_free_ns = 0;
  for (int i = 0; i < kernels; ++i) {
    const Nanos call_ns = i * host_ns;
    builder.launch(call_ns, host_ns / 2, static_cast<std::uint64_t>(i + 1));
    const Nanos start_ns = std::max(call_ns + host_ns / 2 + 2 * kMicro, gpu_free_ns + 1 * kMicro);
    builder.kernel("k" + std::to_string(i % 3), start_ns, kernel_ns, static_cast<std::uint64_t>(i + 1));
    gpu_free_ns = start_ns + kernel_ns;
  }
  return builder.done();
}

Replay replay_of(const Trace& trace) { return Replay(trace, 0, {0, Nanos{1} << 60}); }

TEST(Replay, NoChangeGivesTheProfile) {
  for (const auto& [kernel_ns, host_ns] :
       {std::pair(2 * kMicro, 10 * kMicro), std::pair(30 * kMicro, 10 * kMicro)}) {
    const Trace trace = stream_of(200, kernel_ns, host_ns);
    const Replay replay = replay_of(trace);
    EXPECT_NEAR(static_cast<double>(replay.play({})), static_cast<double>(replay.profiled_ns()),
                0.02 * static_cast<double>(replay.profiled_ns()));
  }
}

TEST(Replay, FasterKernelsHelpOnlyWhereTheGpuIsCritical) {
  const auto halved = [](const Replay& replay) {
    Replay::Change change;
    for (const auto& step : replay.steps()) change.duration_ns.push_back(step.duration_ns / 2);
    return change;
  };
  const Trace launch_bound = stream_of(200, 2 * kMicro, 10 * kMicro);
  const Replay slow_host = replay_of(launch_bound);
  EXPECT_LT(slow_host.play({}) - slow_host.play(halved(slow_host)), 3 * kMicro);
  const Trace gpu_bound = stream_of(200, 30 * kMicro, 10 * kMicro);
  const Replay slow_gpu = replay_of(gpu_bound);
  EXPECT_NEAR(static_cast<double>(slow_gpu.play(halved(slow_gpu))), 200.0 * 16 * kMicro, 40.0 * kMicro);
}

TEST(Replay, AGraphTakesTheHostAway) {
  const Trace trace = stream_of(100, 2 * kMicro, 10 * kMicro);
  Replay::Change graph;
  graph.graph = true;
  graph.graph_gap_ns = 1 * kMicro;
  EXPECT_EQ(replay_of(trace).play(graph), 100 * 2 * kMicro + 99 * kMicro);
}

TEST(Replay, RemovedKernelsTakeTheirLaunchesWithThem) {
  const Trace trace = stream_of(100, 2 * kMicro, 10 * kMicro);
  const Replay replay = replay_of(trace);
  Replay::Change half;
  for (std::size_t i = 0; i < replay.size(); ++i) {
    half.duration_ns.push_back(i % 2 ? Replay::kRemoved : replay.steps()[i].duration_ns);
    half.host_extra_ns.push_back(i % 2 ? Replay::kHostGone : 0);
  }
  EXPECT_NEAR(static_cast<double>(replay.play(half)), 0.5 * static_cast<double>(replay.play({})),
              20.0 * kMicro);
}

TEST(Replay, FindsHowMuchAProfilerSlowedTheHost) {
  const Trace trace = stream_of(500, 2 * kMicro, 10 * kMicro);
  const Replay replay = replay_of(trace);
  Replay::Change change;
  change.record_ns = replay.fit_record_ns(replay.play({}) * 6 / 10);
  EXPECT_NEAR(static_cast<double>(replay.play(change)), 0.6 * static_cast<double>(replay.play({})),
              10.0 * kMicro);
  EXPECT_EQ(replay.fit_record_ns(replay.play({}) * 2), 0);
}

TEST(Replay, ASynchroniseWaitsForWhatWasIssued) {
  TraceBuilder builder;
  builder.launch(0, 5 * kMicro, 1).kernel("long", 7 * kMicro, 100 * kMicro, 1);
  builder.launch(6 * kMicro, 103 * kMicro, 0, "cudaStreamSynchronize");
  builder.launch(112 * kMicro, 5 * kMicro, 2).kernel("next", 119 * kMicro, 10 * kMicro, 2);
  const Trace trace = builder.done();
  const Replay replay = replay_of(trace);
  Replay::Change shorter;
  shorter.duration_ns = {40 * kMicro, 10 * kMicro};
  EXPECT_EQ(replay.play({}) - replay.play(shorter), 60 * kMicro) << "the host waits less, too";
}

Plan plan_for(const Trace& trace, PlanOptions options = {}) {
  const auto attributions = attribute(trace);
  const auto gpu = find_gpu_of(trace);
  const Explanation explanation = explain(trace, attributions, gpu ? &*gpu : nullptr);
  Analysis analysis = combine({analyze_trace(trace, attributions, {}, explanation.bounds)});
  return make_plan({trace, explanation, std::move(analysis), ""}, options);
}

void expect_sound(const Plan& plan) {
  Nanos sum_ns = 0;
  for (const auto& [bucket, time_ns] : plan.step_buckets_ns) sum_ns += time_ns;
  EXPECT_EQ(sum_ns, plan.step_ns);
  ASSERT_FALSE(plan.ladder.empty());
  for (std::size_t i = 1; i < plan.ladder.size(); ++i) {
    EXPECT_LE(plan.ladder[i].step_ns.likely, plan.ladder[i - 1].step_ns.likely)
        << "a fix never lengthens the step";
    EXPECT_LE(plan.ladder[i].step_ns.low, plan.ladder[i].step_ns.likely);
    EXPECT_LE(plan.ladder[i].step_ns.likely, plan.ladder[i].step_ns.high);
  }
  std::set<std::uint32_t> claimed;
  for (const Action& action : plan.actions) {
    EXPECT_FALSE(action.reason_path.empty());
    EXPECT_FALSE(action.evidence.empty());
    if (action.kind == ActionKind::precision) continue;  // changes kernels that another action may replace
    for (std::uint32_t event : action.gpu_events)
      EXPECT_TRUE(claimed.insert(event).second) << "counted twice";
  }
}

TEST(Plan, LaunchBoundStepsGetAGraphFirst) {
  const Plan plan = plan_for(stream_of(500, 2 * kMicro, 10 * kMicro));
  expect_sound(plan);
  ASSERT_FALSE(plan.actions.empty());
  EXPECT_EQ(plan.actions[0].kind, ActionKind::graph);
  EXPECT_EQ(plan.actions[0].operator_name, "launches");
  EXPECT_EQ(plan.headline.id, "headline.launch_bound");
}

TEST(Plan, AStepTimeCorrectsTheProfilersOverhead) {
  PlanOptions options;
  options.step_time_ns = 3'000 * kMicro;
  const Plan plan = plan_for(stream_of(500, 2 * kMicro, 10 * kMicro), options);
  expect_sound(plan);
  EXPECT_TRUE(plan.corrected);
  EXPECT_EQ(plan.step_ns, 3'000 * kMicro);
  EXPECT_GT(plan.profiled_step_ns, 4'900 * kMicro);
}

TEST(Plan, NothingToDoIsSaidAndNoGpuWorkIsNoPlan) {
  TraceBuilder builder;
  builder.launch(0, 5 * kMicro, 1).kernel("mystery", 7 * kMicro, 90'000 * kMicro, 1);
  const Plan plan = plan_for(builder.done());
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.headline.id, "headline.balanced");
  EXPECT_TRUE(plan_for(TraceBuilder().done()).ladder.empty());
}

TEST(Plan, MoneyIsCountedWhenGiven) {
  PlanOptions options;
  options.project.gpu_hour_cost = 2;
  options.project.gpus = 10;
  options.project.day_cost = 1000;
  const Plan plan = plan_for(stream_of(500, 2 * kMicro, 10 * kMicro), options);
  ASSERT_FALSE(plan.actions.empty());
  const Action& graph = plan.actions[0];
  const double saved =
      1 - static_cast<double>(graph.step_after_cumulative_ns.likely) / static_cast<double>(plan.step_ns);
  EXPECT_NEAR(graph.saving_per_month.value(), saved * 10 * 2 * 730, 1);
  EXPECT_NEAR(graph.payback_days.value(), 1.0 * 1000 / graph.saving_per_month.value() * 365 / 12, 0.1);
}

TEST(Policy, BuiltInTreeIsThatOfTheDocument) {
  const Policy& policy = Policy::built_in();
  EXPECT_EQ(policy.preset, "tree");
  EXPECT_EQ(policy.keep_below_fraction, 0.05);
  EXPECT_EQ(policy.cuda.above_fraction, 0.20);
  EXPECT_EQ(policy.with_preset("last_resort").cuda.above_fraction, 0.10);
  EXPECT_TRUE(policy.with_preset("last_resort").cuda.only_when_triton_falls_short);
  ASSERT_EQ(policy.bands.size(), 5u);
  EXPECT_EQ(policy.band(0.04).label, "< 5 %");
  EXPECT_EQ(policy.band(0.05).label, "5-10 %");
  EXPECT_EQ(policy.band(0.3).cost, "1-4 weeks");
  EXPECT_EQ(policy.band(0.9).proposal, "cuda");
  EXPECT_THROW(policy.with_preset("nonsense"), Error);
}

TEST(Policy, MistakesAreNamedWithTheirLine) {
  try {
    Policy::from_toml("[tree]\npreset = \"tree\"\nidle_fraction = 7\n", "mine.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 3: tree.idle_fraction must be from 0 to 1"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(error.where().path, "mine.toml");
  }
  EXPECT_THROW(Policy::from_toml("[tree", "mine.toml"), Error);
  EXPECT_THROW(Project::from_toml("[team]\nskills = [\"magic\"]\n", "p.toml"), Error);
  const Project project = Project::from_toml(Project::commented_template(), "template");
  EXPECT_FALSE(project.gpu_hour_cost.has_value());
}

/// The built-in policy with one line replaced.
std::string policy_with(const std::string& line, const std::string& instead) {
  std::string text = read_text_file(std::string(PAGODA_SOURCE_DIR) + "/src/advice/policy.toml");
  const std::size_t at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line;
  return text.replace(at, line.size(), instead);
}

std::string complaint(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Policy, MisspeltKeysAreRefusedNotPassedOver) {
  const auto policy = [](const std::string& text) {
    return complaint([&] { Policy::from_toml(text, "p.toml"); });
  };
  EXPECT_EQ(policy(policy_with("[graph]", "[graph]")), "none");
  EXPECT_NE(policy(policy_with("idle_fraction =", "idel_fraction =")).find("idel_fraction"),
            std::string::npos);
  EXPECT_NE(
      policy(policy_with("[efficiency.rope]", "[efficiency.roep]")).find("efficiency.roep is not known"),
      std::string::npos);
  EXPECT_NE(policy(policy_with("moe = 3.0", "meo = 3.0")).find("difficulty.meo"), std::string::npos);
  EXPECT_NE(
      policy(policy_with("existing = [0.50, 0.85, 0.93]", "existing = [0.50, 0.85, 9.3]")).find("at most 1"),
      std::string::npos);
  EXPECT_NE(policy(policy_with("triton = [1.0, 3.0]", "triton = [3.0, 1.0]")).find("days.triton"),
            std::string::npos);
  const std::string project =
      complaint([] { Project::from_toml("[fleet]\ngpus = 2\ngpu_hour_cots = 3\n", "p.toml"); });
  EXPECT_EQ(project, "p.toml: line 3: fleet.gpu_hour_cots is not known; there are: gpu_hour_cost, gpus");
}

TEST(Policy, ATierThatAnOperatorLeavesOutIsNoPerfectOne) {
  const Policy policy = Policy::from_toml(policy_with("existing = [0.50, 0.85, 0.93]\n", ""), "p.toml");
  EXPECT_EQ(policy.efficiency_of("rope", Tier::existing).likely,
            policy.efficiency_of("default", Tier::existing).likely);
  EXPECT_LT(policy.efficiency_of("rope", Tier::existing).likely, 1);
}

TEST(Catalogue, OfTheUserTakesTheBuiltInsPlaceAndMistakesAreNamed) {
  const std::string row = R"([[implementation]]
id = "house_norm"
name = "House norm"
operators = ["rms_norm"]
tier = "existing"
licence = "house"
switch_on = "import house"
limits = "-"
version = "1"
url = "-"
)";
  const Catalogue catalogue = Catalogue::from_toml(row, "house.toml");
  EXPECT_EQ(catalogue.find("rms_norm", "sm_90", "bfloat16").at(0).id, "house_norm");
  const auto wrong = [&](const std::string& text) {
    return complaint([&] { Catalogue::from_toml(text, "house.toml"); });
  };
  EXPECT_EQ(wrong(row + row), "house.toml: line 12: implementation.id is there twice");
  EXPECT_NE(wrong(row + "licenze = \"x\"\n").find("licenze is not known"), std::string::npos);
  EXPECT_NE(wrong("[[implementation]]\nid = 7\n").find("must be text"), std::string::npos);
  EXPECT_THROW(Catalogue::from_file("/nonexistent/house.toml"), Error);
}

TEST(Catalogue, FitsTheGpuAndTheType) {
  const Catalogue& catalogue = Catalogue::built_in();
  EXPECT_GE(catalogue.entries().size(), 20u);
  const auto on = [&](const char* arch) {
    std::set<std::string> ids;
    for (const auto& each : catalogue.find("attention", arch, "bfloat16")) ids.insert(each.id);
    return ids;
  };
  EXPECT_TRUE(on("sm_90").contains("flash_attention_3"));
  EXPECT_FALSE(on("sm_80").contains("flash_attention_3"));
  EXPECT_TRUE(on("gfx942").contains("flash_attention_2"));
  EXPECT_FALSE(on("gfx942").contains("cudnn_sdpa"));
  EXPECT_TRUE(catalogue.find("nonsense", "sm_90", "").empty());
}

TEST(Evidence, RowsAreKeptFoundByNearestSizeAndReplaceThePrior) {
  const std::string line =
      R"({"kind":"op","op":"rms_norm","tier":"%T","implementation":"x","direction":"fwd","dtype":"bf16","shape":"%S",)"
      R"("median_us":%M,"bytes":%B,"ceiling_gb_per_s":4000,"fraction":0.9,"device":"GPU","date":"2026-12-01"})";
  const auto row = [&](std::string tier, std::string shape, std::string median, std::string bytes) {
    std::string text = line;
    for (const auto& [key, value] : {std::pair{"%T", tier}, {"%S", shape}, {"%M", median}, {"%B", bytes}})
      text.replace(text.find(key), 2, value);
    return text + "\n";
  };
  EvidenceStore store = EvidenceStore::open(":memory:", true);
  EXPECT_EQ(store.import_json_lines("{\"kind\":\"ceilings\"}\n\n" + row("cuda", "small", "2.5", "16384") +
                                        row("cuda", "large", "100", "320000000") +
                                        row("triton", "large", "160", "320000000"),
                                    "rows"),
            3u);
  EXPECT_EQ(store.import_json_lines(row("cuda", "large", "100", "320000000"), "rows"), 1u);
  EXPECT_EQ(store.rows().size(), 3u) << "the same measurement is one row";
  EXPECT_EQ(store.nearest("rms_norm", "cuda", "fwd", "GPU", 1e8)->shape, "large");
  EXPECT_EQ(store.nearest("rms_norm", "cuda", "fwd", "GPU", 1e4)->shape, "small");
  EXPECT_FALSE(store.nearest("rms_norm", "cuda", "bwd", "GPU", 1e4));
  EXPECT_FALSE(store.nearest("rms_norm", "cuda", "fwd", "other GPU", 1e4));
  EXPECT_NEAR(store.nearest("rms_norm", "cuda", "fwd", "GPU", 1e8)->efficiency(), 0.8, 1e-9);
  EXPECT_NEAR(store.nearest("rms_norm", "cuda", "fwd", "GPU", 1)->efficiency(), 0.8, 1e-9)
      << "no floor below 2 us";
  EXPECT_THROW(store.import_json_lines("{\"kind\":\"op\"}", "rows"), Error);
  EXPECT_THROW(store.import_json_lines("not JSON", "rows"), Error);

  Explanation explanation;
  OperatorGroup group;
  group.kind = OperatorKind::rms_norm;
  group.phase = Phase::forward;
  group.instance_count = 2;
  group.floor_ns = 200'000;
  group.floor_bytes = 2 * 320e6;
  explanation.groups.push_back(group);
  MeasuredEfficiencies used;
  const Policy measured = with_evidence(Policy::built_in(), store, explanation, "GPU", used);
  EXPECT_NEAR(measured.efficiency_of("rms_norm", Tier::triton).likely, 0.5, 1e-9);
  EXPECT_EQ(measured.efficiency_of("rms_norm", Tier::existing).likely,
            Policy::built_in().efficiency_of("rms_norm", Tier::existing).likely);
  EXPECT_EQ(used.size(), 2u);
}

TEST(Evidence, AComputeBoundRowIsHeldAgainstTheMatrixUnits) {
  EvidenceRow row;
  row.median_us = 1000;
  row.bytes = 1e8;  // 25 us at 4 TB/s
  row.ceiling_gb_per_s = 4000;
  row.flops = 5e11;  // 500 TFLOP/s
  EXPECT_NEAR(row.efficiency(), 0.025, 1e-9);
  EXPECT_NEAR(row.efficiency(1e15), 0.5, 1e-9);
}

TEST(Messages, BothLanguagesTakeTheSameArguments) {
  const auto names = [](std::string_view text) {
    std::set<std::string_view> found;
    for (std::size_t at = 0; (at = text.find('{', at)) != std::string_view::npos; ++at)
      found.insert(text.substr(at, text.find('}', at) - at + 1));
    return found;
  };
  std::set<std::string_view> ids;
  for (const MessageText& text : message_texts()) {
    EXPECT_TRUE(ids.insert(text.id).second) << text.id;
    EXPECT_EQ(names(text.en), names(text.zh)) << text.id;
    EXPECT_FALSE(text.en.empty());
    EXPECT_EQ(find_message_text(text.id)->en, text.en);
  }
  for (std::size_t kind = 0; kind < kOperatorKindCount; ++kind) {
    const std::string id = "operator." + std::string(operator_kind_name(static_cast<OperatorKind>(kind)));
    EXPECT_NE(find_message_text(id), nullptr) << id;
  }
}

}  // namespace
}  // namespace pagoda
