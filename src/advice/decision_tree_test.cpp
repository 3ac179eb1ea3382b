// Made-up workloads whose right answer is known, through every branch of the tree.
#include <set>

#include <gtest/gtest.h>

#include "advice/diff.h"
#include "advice/testing/made_up.h"
#include "core/error.h"

namespace pagoda {
namespace {

using testing::made_of;
using testing::MadeOperator;
using Kind = OperatorKind;

constexpr Nanos kMicro = 1'000;

/// `share` of a GPU-bound step of about 10 ms; the rest is GEMMs at the roof.
std::vector<MadeOperator> share_of(Kind kind, double share, Nanos floor_ns) {
  const auto each_ns = static_cast<Nanos>(share * 10'000 * kMicro / 40);
  const auto gemm_ns = static_cast<Nanos>((1 - share) * 10'000 * kMicro / 20);
  MadeOperator fused{kind, 10, 4, each_ns, floor_ns, Bound::memory, "small"};
  MadeOperator gemm{Kind::gemm, 20, 1, gemm_ns, gemm_ns * 8 / 10, Bound::compute, "nvjet"};
  gemm.flops = 0.75e15 * 10e-3 * (1 - share);
  gemm.sol_fraction = 0.75;
  return {fused, gemm};
}

bool passes(const std::vector<PathStep>& path, std::string_view answer) {
  return std::any_of(path.begin(), path.end(),
                     [&](const PathStep& step) { return step.answer.id == answer; });
}

const Declined* declined(const Plan& plan, std::string_view why) {
  for (const Declined& row : plan.declined) {
    if (row.why.id == why) return &row;
  }
  return nullptr;
}

PlanOptions without_catalogue() {
  PlanOptions options;
  options.catalogue = Catalogue::from_toml("", "none");
  options.evidence = nullptr;
  return options;
}

PlanOptions with_prices(double gpu_hour_cost, double day_cost) {
  PlanOptions options = without_catalogue();
  options.project.gpu_hour_cost = gpu_hour_cost;
  options.project.day_cost = day_cost;
  return options;
}

TEST(Tree, MemoryBoundBelowFivePercentKeepsPyTorch) {
  const Plan plan = made_of(share_of(Kind::rms_norm, 0.03, 5 * kMicro)).plan();
  EXPECT_TRUE(plan.actions.empty());
  const Declined* row = declined(plan, "declined.share");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->operator_name, "rms_norm");
  EXPECT_TRUE(passes(row->reason_path, "answer.share_keep"));
}

TEST(Tree, MemoryBoundBelowTwentyPercentIsFusedInTriton) {
  const Plan plan = made_of(share_of(Kind::rms_norm, 0.12, 20 * kMicro)).plan();
  ASSERT_EQ(plan.actions.size(), 1u);
  const Action& action = plan.actions[0];
  EXPECT_EQ(action.id, "fuse_rms_norm");
  EXPECT_EQ(action.tier, Tier::triton);
  EXPECT_TRUE(passes(action.reason_path, "answer.memory_bound"));
  EXPECT_TRUE(passes(action.reason_path, "answer.share_triton"));
  EXPECT_EQ(action.roi_band.label, "10-20 %");
  EXPECT_NEAR(action.share_fraction, 0.12, 0.01);
  // 1.2 ms become 10 x 20 us / 0.8, and 95 % of what that saves shows: 0.9 of 10 ms, and its gaps.
  const double saved_ms = static_cast<double>(plan.step_ns - action.step_after_alone_ns.likely) / 1e6;
  EXPECT_NEAR(saved_ms, 0.95 * (1.2 - 0.25), 0.05);
}

TEST(Tree, AboveTwentyPercentTakesMatureOpenSource) {
  const Plan plan = made_of(share_of(Kind::attention, 0.4, 50 * kMicro)).plan();
  ASSERT_FALSE(plan.actions.empty());
  EXPECT_EQ(plan.actions[0].operator_name, "attention");
  EXPECT_EQ(plan.actions[0].tier, Tier::existing);
  EXPECT_TRUE(passes(plan.actions[0].reason_path, "answer.open_source"));
  EXPECT_FALSE(plan.actions[0].implementations.empty());
}

TEST(Tree, WithoutOpenSourceTheRoiDecidesBetweenCudaAndTriton) {
  const auto workload = made_of(share_of(Kind::rms_norm, 0.6, 200 * kMicro));
  const Plan dear_gpus = workload.plan(with_prices(1000, 1));
  ASSERT_FALSE(dear_gpus.actions.empty());
  EXPECT_EQ(dear_gpus.actions[0].tier, Tier::cuda);
  EXPECT_TRUE(passes(dear_gpus.actions[0].reason_path, "answer.cuda_worth"));
  const Plan dear_people = workload.plan(with_prices(0.01, 5000));
  ASSERT_FALSE(dear_people.actions.empty());
  EXPECT_EQ(dear_people.actions[0].tier, Tier::triton);
  EXPECT_TRUE(passes(dear_people.actions[0].reason_path, "answer.cuda_extra_small"));
}

TEST(Tree, LastResortEvaluatesCudaAboveTenPercentOnlyWhereTritonFallsShort) {
  PlanOptions options = with_prices(1000, 1);
  const auto norms = made_of(share_of(Kind::rms_norm, 0.15, 50 * kMicro));
  EXPECT_EQ(norms.plan(options).actions.at(0).tier, Tier::triton) << "the tree evaluates CUDA above 20 %";
  options.policy = options.policy.with_preset("last_resort");
  const Plan norm = norms.plan(options);
  EXPECT_TRUE(passes(norm.actions.at(0).reason_path, "answer.triton_short"));
  EXPECT_EQ(norm.actions.at(0).tier, Tier::cuda);
  const Plan swiglu = made_of(share_of(Kind::swiglu, 0.15, 50 * kMicro)).plan(options);
  EXPECT_TRUE(passes(swiglu.actions.at(0).reason_path, "answer.triton_reaches"));
  EXPECT_EQ(swiglu.actions.at(0).tier, Tier::triton);
}

TEST(Tree, ComputeBoundAtTheRoofHasNothingLeftButPrecision) {
  const auto workload = made_of(share_of(Kind::rms_norm, 0.02, 5 * kMicro));
  const Plan plan = workload.plan();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_NE(declined(plan, "declined.at_the_roof"), nullptr);
  const Declined* numerics = declined(plan, "declined.numerics");
  ASSERT_NE(numerics, nullptr);
  EXPECT_GT(std::stoll(numerics->why.args.at(0).second), 0) << "what it would give is said";

  PlanOptions allowed;
  allowed.project.changes_numerics_allowed = true;
  const Plan fp8 = workload.plan(allowed);
  ASSERT_EQ(fp8.actions.size(), 1u);
  EXPECT_EQ(fp8.actions[0].id, "fp8_gemm");
  EXPECT_EQ(fp8.actions[0].kind, ActionKind::precision);
  EXPECT_TRUE(fp8.actions[0].changes_numerics);
  EXPECT_FALSE(fp8.actions[0].implementations.empty());
  EXPECT_TRUE(passes(fp8.actions[0].reason_path, "answer.not_memory_bound"));
}

TEST(Tree, ComputeBoundFarFromTheRoofIsNotCalledDone) {
  MadeOperator gemm{Kind::gemm, 20, 1, 500 * kMicro, 100 * kMicro, Bound::compute, "nvjet"};
  gemm.flops = 1e12;
  gemm.sol_fraction = 0.2;
  const Plan plan = made_of({gemm}).plan();
  EXPECT_EQ(declined(plan, "declined.at_the_roof"), nullptr);
  EXPECT_NE(declined(plan, "declined.below_the_roof"), nullptr);
}

TEST(Tree, Fp8IsNoOptionOnAGpuWithoutIt) {
  auto workload = made_of(share_of(Kind::rms_norm, 0.02, 5 * kMicro));
  workload.explanation.gpu->matrix_flops_per_s[static_cast<std::size_t>(MathType::fp8)] = 0;
  EXPECT_EQ(declined(workload.plan(), "declined.numerics"), nullptr);
}

TEST(Tree, Fp32MatmulsAreSentToTensorCores) {
  MadeOperator gemm{Kind::gemm, 20, 1, 500 * kMicro, 400 * kMicro, Bound::compute, "sgemm"};
  gemm.flops = 20 * 500e-6 * 50e12;
  gemm.dtype = "float32";
  gemm.fp32_matmul = true;
  const Plan plan = made_of({gemm}).plan();
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(plan.actions[0].id, "tensor_cores_fp32");
  EXPECT_TRUE(passes(plan.actions[0].reason_path, "answer.no_tensor_cores"));
}

TEST(Tree, ConvolutionsThatConvertTheirLayoutGoChannelsLast) {
  MadeOperator conv{Kind::convolution, 20, 2, 100 * kMicro, 90 * kMicro, Bound::compute, "sm90_xmma_fprop"};
  const Plan already = made_of({conv}).plan();
  EXPECT_TRUE(already.actions.empty()) << "no conversion, no action";
  conv.first_kernel = "void cudnn::ops::nchwToNhwcKernel<__half>";
  const Plan plan = made_of({conv}).plan();
  ASSERT_EQ(plan.actions.size(), 1u);
  EXPECT_EQ(plan.actions[0].id, "channels_last");
  EXPECT_EQ(plan.actions[0].kind, ActionKind::layout);
  EXPECT_EQ(plan.actions[0].gpu_events.size(), 20u) << "the conversions, not the convolutions";
  const Nanos saved_ns = plan.step_ns - plan.actions[0].step_after_alone_ns.likely;
  EXPECT_NEAR(static_cast<double>(saved_ns), 0.85 * 2'000 * kMicro, 60.0 * kMicro);
  ASSERT_FALSE(plan.actions[0].implementations.empty());
  EXPECT_EQ(plan.actions[0].implementations[0].id, "channels_last");
}

TEST(Tree, AConvolutionIsNotRemovedWithItsConversion) {
  MadeOperator conv{Kind::convolution, 20, 2, 200 * kMicro, 150 * kMicro, Bound::compute, "fprop",
                    "nchwToNhwcKernel"};
  conv.flops = 20 * 100e-6 * 494.7e12;  // 100 us each on Tensor Cores
  conv.dtype = "float32";
  conv.fp32_matmul = true;
  const Plan plan = made_of({conv}).plan();
  ASSERT_FALSE(plan.actions.empty());
  for (const LadderStep& step : plan.ladder) {
    // The policy takes up to 1.03 of a saving to show, which goes a little below the floor.
    EXPECT_GE(step.step_ns.low, 20 * 95 * kMicro) << step.action_id << ": the products still take their time";
  }
}

TEST(Tree, Fp8IsForMatmulsAlone) {
  std::vector<MadeOperator> operators = share_of(Kind::attention, 0.3, 100 * kMicro);
  operators[0].bound = Bound::compute;
  operators[0].flops = 1e12;
  PlanOptions allowed;
  allowed.project.changes_numerics_allowed = true;
  const Plan plan = made_of(operators).plan(allowed);
  const auto fp8 = std::find_if(plan.actions.begin(), plan.actions.end(),
                                [](const Action& action) { return action.id == "fp8_gemm"; });
  ASSERT_NE(fp8, plan.actions.end());
  EXPECT_EQ(fp8->gpu_events.size(), 20u);
}

TEST(Tree, WithoutAFloorNothingIsPromised) {
  const Plan plan = made_of(share_of(Kind::rms_norm, 0.3, -1)).plan();
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_NE(declined(plan, "declined.unknown_floor"), nullptr);
}

TEST(Tree, ALaunchBoundStepIsCheckedAgainAfterTheGraph) {
  const Plan plan = made_of({{Kind::rms_norm, 60, 8, 2 * kMicro, 2 * kMicro, Bound::latency, "tiny"},
                             {Kind::gemv, 60, 2, 4 * kMicro, 7 * kMicro, Bound::memory, "gemv"}},
                            12 * kMicro)
                        .plan();
  ASSERT_GE(plan.actions.size(), 2u);
  EXPECT_EQ(plan.actions[0].kind, ActionKind::graph);
  EXPECT_EQ(plan.actions[1].operator_name, "rms_norm");
  EXPECT_LT(plan.actions[1].step_after_cumulative_ns.likely, plan.actions[0].step_after_cumulative_ns.likely);
}

std::vector<MadeOperator> many() {
  std::vector<MadeOperator> all = share_of(Kind::attention, 0.4, 50 * kMicro);
  for (Kind kind : {Kind::rms_norm, Kind::rope, Kind::swiglu, Kind::softmax})
    all.push_back(
        {kind, 10, 4, 60 * kMicro, 40 * kMicro, Bound::memory, std::string(operator_kind_name(kind))});
  return all;
}

TEST(Ladder, AnActionThatMayCostTheHostMoreRaisesNoBound) {
  PlanOptions options;
  options.policy.host_extra_ns["triton"] = {0, 0, 1e7};
  const Plan plan = made_of(many()).plan(options);
  ASSERT_GE(plan.actions.size(), 2u);
  EXPECT_EQ(plan.actions[0].tier, Tier::existing);
  EXPECT_EQ(plan.actions[1].tier, Tier::triton);
  for (std::size_t i = 1; i < plan.ladder.size(); ++i)
    EXPECT_LE(plan.ladder[i].step_ns.high, plan.ladder[i - 1].step_ns.high);
}

TEST(Ladder, EveryBoundFallsAndNothingIsCountedTwice) {
  const Plan plan = made_of(many()).plan();
  ASSERT_GE(plan.actions.size(), 3u);
  std::set<std::uint32_t> claimed;
  Nanos alone_ns = 0;
  for (std::size_t i = 1; i < plan.ladder.size(); ++i) {
    const NanosRange& before = plan.ladder[i - 1].step_ns;
    const NanosRange& after = plan.ladder[i].step_ns;
    EXPECT_LE(after.low, before.low);
    EXPECT_LE(after.likely, before.likely);
    EXPECT_LE(after.high, before.high);
    EXPECT_TRUE(after.low <= after.likely && after.likely <= after.high);
  }
  for (const Action& action : plan.actions) {
    alone_ns += plan.step_ns - action.step_after_alone_ns.likely;
    for (std::uint32_t event : action.gpu_events) EXPECT_TRUE(claimed.insert(event).second) << action.id;
  }
  const Nanos together_ns = plan.step_ns - plan.ladder.back().step_ns.likely;
  EXPECT_LE(together_ns, alone_ns + 10 * kMicro) << "together they save no more than one by one";
}

TEST(Ladder, TheSameWorkloadGivesTheSamePlan) {
  const Plan first = made_of(many()).plan();
  const Plan second = made_of(many()).plan();
  ASSERT_EQ(first.actions.size(), second.actions.size());
  for (std::size_t i = 0; i < first.actions.size(); ++i) {
    EXPECT_EQ(first.actions[i].id, second.actions[i].id);
    EXPECT_EQ(first.actions[i].step_after_cumulative_ns.likely,
              second.actions[i].step_after_cumulative_ns.likely);
  }
  ASSERT_EQ(first.declined.size(), second.declined.size());
  for (std::size_t i = 0; i < first.declined.size(); ++i)
    EXPECT_EQ(first.declined[i].why.id, second.declined[i].why.id);
}

TEST(Diff, OperatorsByTheSizeOfTheirChangeAndTheNearestPromise) {
  const Plan before = made_of(share_of(Kind::rms_norm, 0.3, 50 * kMicro)).plan();
  std::vector<MadeOperator> less = share_of(Kind::rms_norm, 0.3, 50 * kMicro);
  less[0].events = 1;
  const Plan after = made_of(less).plan();
  const Diff diff = diff_of(
      before, after, {{"far", "x", {}, {1, 1, 1}}, {"near", "rms_norm", {}, {0, after.step_ns + kMicro, 0}}});
  EXPECT_LT(diff.change_fraction(), -0.15);
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(diff.rows[0].operator_name, "rms_norm");
  EXPECT_EQ(diff.rows[0].change_ns(), -30 * 75 * kMicro);
  EXPECT_EQ(diff.rows[1].change_ns(), 0);
  EXPECT_EQ(diff.nearest_promise, 1u);
  EXPECT_THROW(diff_of(before, Plan{}), Error);
}

}  // namespace
}  // namespace pagoda
