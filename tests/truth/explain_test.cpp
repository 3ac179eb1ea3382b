// What the roofline says of the bundled samples and of public graph traces (those are skipped where absent).
#include <filesystem>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "analysis/attribution.h"
#include "analysis/roofline.h"
#include "readers/reader.h"

namespace pagoda {
namespace {

using Kind = OperatorKind;

Explanation explained(const std::string& path) {
  const Trace trace = read_trace(find_inputs({path}).at(0));
  const auto gpu = find_gpu_of(trace);
  return explain(trace, attribute(trace), gpu ? &*gpu : nullptr);
}

Explanation sample(const std::string& name) {
  return explained(std::string(PAGODA_SOURCE_DIR) + "/samples/" + name + "_h200.json.gz");
}

struct Total {
  double ms = 0;
  int count = 0;
};

std::map<Kind, Total> totals(const Explanation& explanation, Phase phase) {
  std::map<Kind, Total> result;
  for (const OperatorInstance& instance : explanation.instances) {
    if (instance.phase != phase) continue;
    result[instance.kind].ms += static_cast<double>(instance.time_ns) / 1e6;
    ++result[instance.kind].count;
  }
  return result;
}

void expect_whole(const Explanation& explanation) {
  const Nanos time =
      std::accumulate(explanation.groups.begin(), explanation.groups.end(), Nanos{0},
                      [](Nanos sum, const OperatorGroup& group) { return sum + group.time_ns; });
  EXPECT_EQ(time, explanation.gpu_time_ns);
  EXPECT_EQ(explanation.instance_events.size(), explanation.instance_of_event.size());
  EXPECT_GT(explanation.coverage.classified_fraction, 0.999);
  EXPECT_GT(explanation.coverage.modelled_fraction, 0.99);
  EXPECT_GT(explanation.coverage.bound_fraction, 0.99);
  for (const OperatorGroup& group : explanation.groups) EXPECT_FALSE(group.model_error) << group.top_op;
}

// 32 layers with two norms each and a last one; attention is the largest operator.
TEST(ExplainSamples, Prefill) {
  const Explanation result = sample("llama7b_prefill");
  expect_whole(result);
  ASSERT_TRUE(result.gpu);
  EXPECT_EQ(result.gpu->id, "h200");
  auto forward = totals(result, Phase::forward);
  EXPECT_EQ(forward[Kind::rms_norm].count + forward[Kind::add_rms_norm].count, 65);
  EXPECT_EQ(forward[Kind::attention].count, 32);
  EXPECT_NEAR(forward[Kind::attention].ms, 49.7, 1.0);
  EXPECT_EQ(forward[Kind::swiglu].count, 32);
  EXPECT_EQ(forward[Kind::rope].count, 32);
  EXPECT_EQ(forward[Kind::kv_cache].count, 64);
  EXPECT_EQ(result.groups.front().kind, Kind::attention);
  EXPECT_EQ(result.groups.front().bound, Bound::memory);
  EXPECT_LT(result.groups.front().fused_sol_fraction, 0.1);
  // Every weight once: 32 layers and the head.
  double flops = 0;
  for (const OperatorGroup& group : result.groups) flops += group.kind == Kind::gemm ? group.flops : 0;
  const double layer = 4.0 * 4096 * 4096 + 3.0 * 4096 * 11008;
  const double frequencies = 2.0 * 64 * 2048;  // the rotary table, one more matmul
  EXPECT_EQ(flops, 2.0 * 2048 * (32 * layer + 4096.0 * 32000) + frequencies);
}

// Four steps. Weights are read once a token: the matmuls are memory-bound, what lies between them is too
// small.
TEST(ExplainSamples, Decode) {
  const Explanation result = sample("llama7b_decode");
  expect_whole(result);
  auto forward = totals(result, Phase::forward);
  EXPECT_EQ(forward[Kind::rms_norm].count + forward[Kind::add_rms_norm].count, 4 * 65);
  EXPECT_EQ(forward[Kind::attention].count, 4 * 32);
  EXPECT_GT(forward[Kind::gemv].ms, 0.5 * static_cast<double>(result.gpu_time_ns) / 1e6);
  EXPECT_EQ(result.groups.front().kind, Kind::gemv);
  EXPECT_EQ(result.groups.front().bound, Bound::memory);
  for (const OperatorGroup& group : result.groups) {
    if (group.kind == Kind::add_rms_norm || group.kind == Kind::rope) {
      EXPECT_EQ(group.bound, Bound::latency);
    }
  }
}

// Two steps of four layers: each operator's backward is found through autograd.
TEST(ExplainSamples, Training) {
  const Explanation result = sample("gpt13b_4layer_train_eager");
  expect_whole(result);
  auto forward = totals(result, Phase::forward);
  auto backward = totals(result, Phase::backward);
  for (Kind kind : {Kind::attention, Kind::swiglu, Kind::rope}) {
    EXPECT_EQ(forward[kind].count, 2 * 4) << operator_kind_name(kind);
    EXPECT_EQ(backward[kind].count, 2 * 4) << operator_kind_name(kind);
  }
  EXPECT_EQ(forward[Kind::rms_norm].count + forward[Kind::add_rms_norm].count, 2 * 9);
  EXPECT_EQ(backward[Kind::rms_norm].count + backward[Kind::add_rms_norm].count, 2 * 9);
  EXPECT_EQ(forward[Kind::cross_entropy].count, 2);
  EXPECT_EQ(backward[Kind::cross_entropy].count, 2);
  EXPECT_EQ(backward[Kind::gemm].count, 2 * forward[Kind::gemm].count - 4);  // the rotary tables have none
  EXPECT_EQ(result.groups.front().kind, Kind::attention);
}

TEST(ExplainSamples, TrainingWithFusedAttention) {
  const Explanation result = sample("gpt13b_4layer_train_sdpa");
  expect_whole(result);
  auto forward = totals(result, Phase::forward);
  EXPECT_EQ(forward[Kind::attention].count, 8);
  double flops = 0;
  for (const OperatorInstance& instance : result.instances) {
    if (instance.kind == Kind::attention && instance.phase == Phase::forward) flops += instance.flops;
  }
  EXPECT_EQ(flops, 8 * 4.0 * 2 * 40 * 128 * (2048.0 * 2049 / 2));  // causal: the lower triangle
}

class ExplainGraphs : public ::testing::TestWithParam<const char*> {};

TEST_P(ExplainGraphs, MostTimeIsClassified) {
  const std::string path =
      std::string(PAGODA_SOURCE_DIR) + "/../shared/traces/public/" + GetParam() + ".json.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const Explanation result = explained(path);
  EXPECT_GT(result.coverage.classified_fraction, 0.95);
  EXPECT_TRUE(result.gpu);
}

INSTANTIATE_TEST_SUITE_P(Public, ExplainGraphs,
                         ::testing::Values("rocm_vllm_decode_fullgraph",
                                           "mi300x_sglang_qwen3_8b_decode_graph", "v100_ddp_test_cudagraph"));

}  // namespace
}  // namespace pagoda
