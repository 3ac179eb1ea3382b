#include "analysis/patterns.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "analysis/attribution.h"
#include "analysis/roofline.h"
#include "analysis/testing/trace_builder.h"

namespace pagoda {
namespace {

using testing::TraceBuilder;
using Kind = OperatorKind;

constexpr std::string_view kBf = R"(["c10::BFloat16"])";
constexpr std::string_view kBfBf = R"(["c10::BFloat16","c10::BFloat16"])";
constexpr std::string_view kFp = R"(["float"])";
constexpr std::string_view kFpFp = R"(["float","float"])";
constexpr std::string_view kFpBf = R"(["float","c10::BFloat16"])";
constexpr std::string_view kBfFp = R"(["c10::BFloat16","float"])";

/// Ops that each launch one kernel, one after the other, on the host and on the GPU.
class Script {
 public:
  Script& op(std::string_view name, std::string_view dims, std::string_view types, Nanos duration_ns = 20'000,
             std::string_view kernel = "kernel", std::int64_t sequence = -1, std::uint64_t forward_thread = 0,
             std::uint32_t thread = 0) {
    builder_.op(name, now_, now_ + 9, dims, types, thread);
    if (sequence >= 0) builder_.autograd(sequence, forward_thread);
    builder_.launch(now_ + 2, 3, ++correlation_, "cudaLaunchKernel", thread);
    builder_.kernel(kernel, gpu_, duration_ns, correlation_);
    now_ += 10;
    gpu_ += duration_ns + 100;
    return *this;
  }
  Script& bare(std::string_view kernel, Nanos duration_ns = 20'000) {
    builder_.kernel(kernel, gpu_, duration_ns);
    gpu_ += duration_ns + 100;
    return *this;
  }
  Script& scope(ScopeKind kind, std::string_view name, Nanos length_ns) {
    builder_.scope(kind, name, now_, now_ + length_ns);
    return *this;
  }
  TraceBuilder& builder() { return builder_; }
  Nanos now() const { return now_; }

  Script& rms_norm(bool residual = true) {
    if (residual) op("aten::add", "[[1,2048,4096],[1,2048,4096]]", kBfBf);
    op("aten::copy_", "[[1,2048,4096],[1,2048,4096]]", kFpBf);
    op("aten::pow", "[[1,2048,4096]]", kFp);
    op("aten::mean", "[[1,2048,4096]]", kFp);
    op("aten::add", "[[1,2048,1]]", kFp);
    op("aten::rsqrt", "[[1,2048,1]]", kFp);
    op("aten::mul", "[[1,2048,4096],[1,2048,1]]", kFpFp);
    op("aten::copy_", "[[1,2048,4096],[1,2048,4096]]", kBfFp);
    return op("aten::mul", "[[4096],[1,2048,4096]]", kBfBf);
  }
  Script& mm() { return op("aten::mm", "[[2048,4096],[4096,4096]]", kBfBf, 120'000, "nvjet_sm90"); }
  Script& rope_half() {
    op("aten::mul", "[[1,32,2048,128],[1,1,2048,128]]", kBfBf);
    op("aten::neg", "[[1,32,2048,64]]", kBf);
    op("aten::cat", "[[[1,32,2048,64],[1,32,2048,64]],[]]", R"(["TensorList","Scalar"])", 20'000,
       "CatArrayBatchedCopy<OpaqueType<2u>>");
    op("aten::mul", "[[1,32,2048,128],[1,1,2048,128]]", kBfBf);
    return op("aten::add", "[[1,32,2048,128],[1,32,2048,128]]", kBfBf);
  }
  Script& attention() {
    op("aten::bmm", "[[32,2048,128],[32,128,2048]]", kBfBf, 90'000);
    op("aten::mul", "[[1,32,2048,2048],[]]", R"(["c10::BFloat16","double"])", 130'000);
    op("aten::add", "[[1,32,2048,2048],[1,1,2048,2048]]", kBfBf, 340'000);
    op("aten::copy_", "[[1,32,2048,2048],[1,32,2048,2048]]", kFpBf, 390'000);
    op("aten::_softmax", "[[1,32,2048,2048],[],[]]", R"(["float","Scalar","Scalar"])", 340'000);
    op("aten::copy_", "[[1,32,2048,2048],[1,32,2048,2048]]", kBfFp, 190'000);
    return op("aten::bmm", "[[32,2048,2048],[32,2048,128]]", kBfBf, 90'000);
  }

 private:
  TraceBuilder builder_;
  Nanos now_ = 0;
  Nanos gpu_ = 1'000;
  std::uint64_t correlation_ = 0;
};

Explanation explained(const Trace& trace) {
  const auto gpu = find_gpu_of(trace);
  return explain(trace, attribute(trace), gpu ? &*gpu : nullptr);
}

/// Without a GPU nothing is looked for in L2: floors are all of the inputs and outputs.
double floor_bytes(const Trace& trace, std::size_t instance) {
  return explain(trace, attribute(trace), nullptr).instances.at(instance).floor_bytes;
}

std::vector<Kind> kinds(const Explanation& explanation) {
  std::vector<Kind> result;
  for (const OperatorInstance& instance : explanation.instances) result.push_back(instance.kind);
  return result;
}

using Kinds = std::vector<Kind>;

TEST(Patterns, ResidualAndRmsNormAreOneOperator) {
  Script script;
  script.mm().rms_norm(false).mm().rms_norm();
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  EXPECT_EQ(kinds(result), (Kinds{Kind::gemm, Kind::rms_norm, Kind::gemm, Kind::add_rms_norm}));
  EXPECT_EQ(result.instances[1].event_count, 8u);
  EXPECT_EQ(result.instances[3].event_count, 9u);
  EXPECT_EQ(result.instances[3].how, RecognisedBy::sequence);
  // x, residual in; sum, normed out; the weight: bf16.
  EXPECT_EQ(floor_bytes(trace, 3), 2.0 * (4 * 2048.0 * 4096 + 4096));
}

TEST(Patterns, RmsNormNeedsFittingShapes) {
  Script script;
  script.op("aten::pow", "[[8,64]]", kFp).op("aten::mean", "[[9,64]]", kFp).op("aten::add", "[[9]]", kFp);
  script.op("aten::rsqrt", "[[9]]", kFp).op("aten::mul", "[[8,64],[8,1]]", kFpFp);
  const Explanation result = explained(script.builder().done());
  for (Kind kind : kinds(result)) EXPECT_NE(kind, Kind::rms_norm);
}

TEST(Patterns, RotaryEmbeddingOfQueriesAndKeys) {
  Script script;
  script.mm().rope_half().rope_half().mm();
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  ASSERT_EQ(kinds(result), (Kinds{Kind::gemm, Kind::rope, Kind::gemm}));
  EXPECT_EQ(result.instances[1].event_count, 10u);
  const double q = 32.0 * 2048 * 128;
  EXPECT_EQ(floor_bytes(trace, 1), 2.0 * (4 * q + 2 * 2048 * 128));
}

TEST(Patterns, GatedActivationAroundItsGemm) {
  Script script;
  script.op("aten::silu", "[[1,2048,11008]]", kBf)
      .mm()
      .op("aten::mul", "[[1,2048,11008],[1,2048,11008]]", kBfBf);
  script.op("aten::gelu", "[[8,64]]", kBf).op("aten::mul", "[[8,64],[8,64]]", kBfBf);
  script.op("aten::silu", "[[8,64]]", kBf).op("aten::mul", "[[8,64],[64]]", kBfBf);
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  EXPECT_EQ(kinds(result),
            (Kinds{Kind::swiglu, Kind::gemm, Kind::geglu, Kind::activation, Kind::elementwise}));
  EXPECT_EQ(floor_bytes(trace, 0), 2.0 * 3 * 2048 * 11008);
}

TEST(Patterns, NaiveAttentionIsTheWholeChain) {
  Script script;
  script.mm().attention().mm();
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  ASSERT_EQ(kinds(result), (Kinds{Kind::gemm, Kind::attention, Kind::gemm}));
  const OperatorInstance& attention = result.instances[1];
  EXPECT_EQ(attention.event_count, 7u);
  const double products = 4.0 * 32 * 2048 * 2048 * 128;
  EXPECT_GE(attention.flops, products);
  // The mask is queries x keys: the lower triangle is all that is needed.
  EXPECT_DOUBLE_EQ(attention.floor_flops, products * 2049 / 4096);
  EXPECT_EQ(floor_bytes(trace, 1), 2.0 * 4 * 32 * 2048 * 128);
  EXPECT_EQ(result.groups.front().kind, Kind::attention);
  EXPECT_EQ(result.groups.front().bound, Bound::memory);
}

// With more than one sequence a batch, torch makes keys and values contiguous for the matmuls.
TEST(Patterns, NaiveAttentionWithValuesMadeContiguousInTheMiddle) {
  Script script;
  script.op("aten::copy_", "[[2,40,2048,128],[2,40,2048,128]]", kBfBf);
  script.op("aten::copy_", "[[2,40,128,2048],[2,40,128,2048]]", kBfBf);
  script.op("aten::bmm", "[[80,2048,128],[80,128,2048]]", kBfBf, 90'000);
  script.op("aten::mul", "[[2,40,2048,2048],[]]", R"(["c10::BFloat16","double"])", 130'000);
  script.op("aten::add", "[[2,40,2048,2048],[1,1,2048,2048]]", kBfBf, 340'000);
  script.op("aten::copy_", "[[2,40,2048,2048],[2,40,2048,2048]]", kFpBf, 390'000);
  script.op("aten::_softmax", "[[2,40,2048,2048],[],[]]", R"(["float","Scalar","Scalar"])", 340'000);
  script.op("aten::copy_", "[[2,40,2048,2048],[2,40,2048,2048]]", kBfFp, 190'000);
  script.op("aten::copy_", "[[2,40,2048,128],[2,40,2048,128]]", kBfBf);
  script.op("aten::bmm", "[[80,2048,2048],[80,2048,128]]", kBfBf, 90'000);
  const Explanation result = explained(script.builder().done());
  ASSERT_EQ(result.instances.size(), 1u);
  EXPECT_EQ(result.instances[0].kind, Kind::attention);
  EXPECT_EQ(result.instances[0].event_count, 10u);
}

TEST(Patterns, SoftmaxAloneIsNoAttention) {
  Script script;
  script.mm().op("aten::_softmax", "[[2048,64],[],[]]", R"(["float","Scalar","Scalar"])");
  const Explanation result = explained(script.builder().done());
  EXPECT_EQ(kinds(result), (Kinds{Kind::gemm, Kind::softmax}));
}

TEST(Patterns, CrossEntropyTakesItsCast) {
  Script script;
  script.op("aten::copy_", "[[2,2048,32000],[2,2048,32000]]", kFpBf);
  script.op("aten::fill_", "[[2,2049]]", R"(["long int"])");
  script.op("aten::_log_softmax", "[[4096,32000],[],[]]", R"(["float","Scalar","Scalar"])");
  script.op("aten::nll_loss_forward", "[[4096,32000],[4096]]", R"(["float","long int"])");
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  EXPECT_EQ(kinds(result), (Kinds{Kind::cross_entropy, Kind::fill}));
  EXPECT_EQ(result.instances[0].event_count, 3u);
  EXPECT_EQ(floor_bytes(trace, 0), 2.0 * 4096 * 32000);
}

TEST(Patterns, SingleOps) {
  Script script;
  script.op("aten::mm", "[[1,4096],[4096,4096]]", kBfBf);
  script.op("aten::cat", "[[[1,32,584,128],[1,32,1,128]],[]]", R"(["TensorList","Scalar"])", 5'000,
            "CatArrayBatchedCopy<OpaqueType<2u>>");
  script.op("aten::native_layer_norm", "[[8,64],[],[64],[64]]", R"(["float","ScalarList","float","float"])");
  script.op("aten::embedding", "[[32000,4096],[8]]", R"(["c10::BFloat16","long int"])");
  script.op("aten::argmax", "[[1,32000]]", kFp);
  script.op("aten::copy_", "[[8,64],[8,64]]", kFpBf);
  script.op("aten::_flash_attention_forward", "[[1,64,8,64],[1,64,8,64],[1,64,8,64]]",
            R"(["c10::Half","c10::Half","c10::Half"])");
  script.op("aten::cudnn_convolution", "[[1,3,8,8],[4,3,3,3]]", kBfBf);
  script.op("vllm::reshape_and_cache_flash", "", "");
  script.op("my::thing", "", "", 9'000, "strange_kernel");
  const Explanation result = explained(script.builder().done());
  EXPECT_EQ(kinds(result),
            (Kinds{Kind::gemv, Kind::kv_cache, Kind::layer_norm, Kind::embedding, Kind::sampling, Kind::cast,
                   Kind::attention, Kind::convolution, Kind::kv_cache, Kind::other}));
  EXPECT_LT(result.coverage.classified_fraction, 1);
  EXPECT_EQ(result.instances.back().how, RecognisedBy::none);
  EXPECT_EQ(result.instances.back().flops, -1);
}

TEST(Patterns, RepeatedHeadsAreSeenByTheirStride) {
  Script script;
  script.op("aten::copy_", "[[1,8,4,64,128],[1,8,4,64,128]]", kBfBf);
  Trace& raw = script.builder().raw();
  raw.op_args.back().strides = raw.strings.intern("[[262144,32768,8192,128,1],[65536,8192,0,128,1]]");
  const Explanation result = explained(script.builder().done());
  EXPECT_EQ(kinds(result), (Kinds{Kind::repeat_kv}));
}

TEST(Patterns, ModulesComeFirst) {
  Script script;
  script.scope(ScopeKind::module, "nn.Module: Qwen2RMSNorm_3", 20);
  script.op("mylib::fused_thing", "", "", 9'000, "k1").op("mylib::fused_thing", "", "", 9'000, "k2");
  const Explanation result = explained(script.builder().done());
  ASSERT_EQ(kinds(result), (Kinds{Kind::rms_norm}));
  EXPECT_EQ(result.instances[0].how, RecognisedBy::module);
  EXPECT_EQ(result.instances[0].event_count, 2u);
}

TEST(Patterns, KernelNamesAloneWithLowerConfidence) {
  Script script;
  script.bare("void at::native::vectorized_elementwise_kernel<4, pow_tensor_scalar_kernel_impl<float>>");
  script.bare("void at::native::reduce_kernel<512, 1, ReduceOp<float, MeanOps<float>>>");
  script.bare("void at::native::vectorized_elementwise_kernel<4, CUDAFunctorOnSelf_add<float>>");
  script.bare("void at::native::vectorized_elementwise_kernel<4, rsqrt_kernel_cuda>");
  script.bare("void at::native::elementwise_kernel<128, 2, BinaryFunctor<float, MulFunctor<float>>>");
  script.bare("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  script.bare("Cijk_Alik_Bljk_BBS_BH_MT256x32x64");
  script.bare("void paged_attention_ll4mi_QKV_mfma16_kernel<vllm::Fp8KVCacheDataType>");
  script.bare("triton_poi_fused_mul_silu_2");
  script.bare("_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu");
  const Explanation result = explained(script.builder().done());
  EXPECT_EQ(kinds(result),
            (Kinds{Kind::rms_norm, Kind::collective, Kind::gemm, Kind::attention, Kind::swiglu, Kind::moe}));
  EXPECT_EQ(result.instances[0].how, RecognisedBy::kernel);
  EXPECT_LE(result.instances[0].confidence_fraction, 0.6f);
  EXPECT_EQ(result.coverage.classified_fraction, 1);
  EXPECT_EQ(result.coverage.modelled_fraction, 0);
}

TEST(Patterns, BackwardGoesToTheOperatorOfItsForward) {
  Script script;
  script.builder().thread("200");
  const std::string_view x = "[[8,64],[8,64]]";
  script.op("aten::silu", "[[8,64]]", kBf, 9'000, "k", 5).op("aten::mul", x, kBfBf, 9'000, "k", 6);
  const auto backward = [&](std::string_view node, std::string_view op, std::int64_t sequence) {
    script.builder().scope(ScopeKind::op, "autograd::engine::evaluate_function: " + std::string(node),
                           script.now(), script.now() + 10, 1);
    script.builder().autograd(sequence, 1);
    script.op(op, x, kBfBf, 9'000, "k", -1, 0, 1);
  };
  backward("MulBackward0", "aten::mul", 6);
  backward("SiluBackward0", "aten::silu_backward", 5);
  const Trace trace = script.builder().done();
  const Explanation result = explained(trace);
  ASSERT_EQ(kinds(result), (Kinds{Kind::swiglu, Kind::swiglu}));
  EXPECT_EQ(result.instances[1].phase, Phase::backward);
  EXPECT_EQ(result.instances[1].event_count, 2u);
  EXPECT_EQ(floor_bytes(trace, 1), 2.0 * 5 * 8 * 64);
}

Trace layer() {
  Script script;
  for (int i = 0; i < 3; ++i) script.rms_norm(i > 0).mm().rope_half().rope_half().attention().mm();
  script.bare("strange_kernel").bare("ncclDevKernel_Generic");
  return script.builder().done();
}

TEST(Explain, EveryEventIsInExactlyOneInstanceAndSharesSumToOne) {
  const Trace trace = layer();
  const Explanation result = explained(trace);
  ASSERT_EQ(result.instance_events.size(), trace.gpu_events.size());
  std::vector<int> seen(trace.gpu_events.size(), 0);
  for (std::uint32_t i = 0; i < result.instances.size(); ++i) {
    const OperatorInstance& instance = result.instances[i];
    for (std::uint32_t e = 0; e < instance.event_count; ++e) {
      const std::uint32_t row = result.instance_events[instance.first_event + e];
      ++seen[row];
      EXPECT_EQ(result.instance_of_event[row], i);
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  double shares = 0;
  Nanos time = 0;
  for (const OperatorGroup& group : result.groups) {
    shares += group.share_fraction;
    time += group.time_ns;
    Nanos by_bound = 0;
    for (Nanos part : group.bound_ns) by_bound += part;
    EXPECT_EQ(by_bound, group.time_ns);
    EXPECT_LE(group.floor_ns, group.time_ns);
  }
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_EQ(time, result.gpu_time_ns);
}

TEST(Explain, PermutedEventsChangeNothing) {
  const Trace trace = layer();
  Trace shuffled = layer();
  std::mt19937 random(7);
  std::shuffle(shuffled.gpu_events.begin(), shuffled.gpu_events.end(), random);
  std::shuffle(shuffled.launches.begin(), shuffled.launches.end(), random);
  link(shuffled);
  const Explanation a = explained(trace);
  const Explanation b = explained(shuffled);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  EXPECT_EQ(a.bounds, b.bounds);
  EXPECT_EQ(a.instance_events, b.instance_events);
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].kind, b.groups[i].kind);
    EXPECT_EQ(a.groups[i].time_ns, b.groups[i].time_ns);
    EXPECT_EQ(a.groups[i].shapes, b.groups[i].shapes);
    EXPECT_EQ(a.groups[i].bytes, b.groups[i].bytes);
    EXPECT_EQ(a.groups[i].floor_ns, b.groups[i].floor_ns);
  }
}

TEST(Explain, BoundsOfModelledKernels) {
  Script script;
  script.op("aten::mm", "[[8192,8192],[8192,8192]]", kBfBf, 1'600'000);     // 687 TFLOP/s
  script.op("aten::mul", "[[16384,16384],[16384,16384]]", kBfBf, 400'000);  // 4 TB/s
  script.op("aten::mul", "[[64],[64]]", kBfBf, 2'000);                      // nothing
  script.op("aten::mul", "[[16384,16384],[16384,16384]]", kBfBf, 100'000);  // 16 TB/s: impossible
  const Explanation result = explained(script.builder().done());
  EXPECT_EQ(result.bounds,
            (std::vector<Bound>{Bound::compute, Bound::memory, Bound::latency, Bound::memory}));
  for (KnownBy how : result.known_by) EXPECT_EQ(how, KnownBy::modelled);
  EXPECT_EQ(result.groups.front().math_type, "bf16");
  EXPECT_NEAR(result.groups.front().sol_fraction, 2.0 * 8192 * 8192 * 8192 / 989.4e12 / 1.6e-3, 1e-6);
}

TEST(Explain, AboveARoofIsAModelError) {
  Script script;
  script.op("aten::mul", "[[16384,16384],[16384,16384]]", kBfBf, 100'000);
  const Explanation result = explained(script.builder().done());
  ASSERT_EQ(result.groups.size(), 1u);
  EXPECT_TRUE(result.groups[0].model_error);
  EXPECT_GT(result.groups[0].sol_fraction, 3);
}

TEST(Explain, TensorsJustWrittenComeFromL2WhereTheyFit) {
  Script small;
  small.op("aten::sin", "[[1024,1024]]", kBf).op("aten::mul", "[[1024,1024],[]]", kBfBf);
  const Explanation in_l2 = explained(small.builder().done());
  EXPECT_EQ(in_l2.instances[0].l2_bytes, 2.0 * 1024 * 1024);
  EXPECT_EQ(in_l2.instances[0].bytes, 3 * 2.0 * 1024 * 1024);
  Script large;
  large.op("aten::sin", "[[8192,8192]]", kBf).op("aten::mul", "[[8192,8192],[]]", kBfBf);
  EXPECT_EQ(explained(large.builder().done()).instances[0].l2_bytes, 0);
}

TEST(Explain, Fp32MatmulWithoutTensorCoresIsNamed) {
  Script script;
  script.op("aten::mm", "[[4096,4096],[4096,4096]]", kFpFp, 3'000'000,
            "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_ffma_aligna4_execute_kernel__5x_"
            "cublas");
  script.op("aten::mm", "[[4096,4096],[4096,2048]]", kFpFp, 300'000, "sm90_xmma_gemm_f32f32_tf32f32_f32");
  const Explanation result = explained(script.builder().done());
  ASSERT_EQ(result.groups.size(), 2u);
  EXPECT_TRUE(result.groups[0].fp32_matmul);
  EXPECT_EQ(result.groups[0].math_type, "fp32");
  EXPECT_FALSE(result.groups[1].fp32_matmul);
  EXPECT_EQ(result.groups[1].math_type, "tf32");
}

TEST(Explain, UnknownGpuIsHeldAgainstNothing) {
  Script script;
  script.mm().rms_norm(false);
  script.builder().raw().devices[0].name = "Some new GPU";
  const Explanation result = explained(script.builder().done());
  EXPECT_FALSE(result.gpu);
  for (const OperatorGroup& group : result.groups) {
    EXPECT_EQ(group.sol_fraction, -1);
    EXPECT_EQ(group.floor_ns, -1);
    EXPECT_GT(group.bytes, 0);
    EXPECT_NE(group.known_by, KnownBy::modelled);
  }
}

TEST(Explain, CountersReplaceTheModel) {
  Script script;
  script.op("aten::mul", "[[16384,16384],[16384,16384]]", kBfBf, 400'000);
  const Trace trace = script.builder().done();
  Trace counters;
  KernelCounters row;
  row.metrics = {{"dram__bytes_read.sum", 1e9},
                 {"dram__bytes_write.sum", 5e8},
                 {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 80},
                 {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 60}};
  counters.counters.push_back(row);
  const std::vector<std::uint32_t> rows = {0};
  ExplainOptions options;
  options.counters = &counters;
  options.counter_of_event = &rows;
  const auto gpu = find_gpu_of(trace);
  const Explanation result = explain(trace, attribute(trace), &*gpu, options);
  EXPECT_EQ(result.groups[0].bytes, 1.5e9);
  EXPECT_EQ(result.groups[0].known_by, KnownBy::counters);
  EXPECT_EQ(result.bounds[0], Bound::compute);
}

TEST(Explain, WindowLimitsWhatIsCounted) {
  Script script;
  script.mm().mm().mm();
  const Trace trace = script.builder().done();
  ExplainOptions options;
  options.window = Interval{trace.gpu_events[1].start_ns, trace.gpu_events[2].start_ns};
  const Explanation result = explain(trace, attribute(trace), nullptr, options);
  EXPECT_EQ(result.instance_events, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(result.instance_of_event[0], kNone);
  EXPECT_EQ(result.bounds.size(), 3u);
}

TEST(Explain, ChainsHandTensorsOn) {
  Script script;
  script.mm().op("aten::sin", "[[4096,8192]]", kBf).op("aten::mul", "[[4096,8192],[]]", kBfBf);
  script.op("aten::_softmax", "[[4096,8192],[],[]]", R"(["c10::BFloat16","Scalar","Scalar"])").mm();
  const Explanation result = explained(script.builder().done());
  ASSERT_EQ(result.chains.size(), 1u);
  EXPECT_EQ(result.chains[0].gpu_events, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(result.chains[0].bytes, 6 * 2.0 * 4096 * 8192);
  EXPECT_EQ(result.chains[0].floor_bytes, 2 * 2.0 * 4096 * 8192);
}

TEST(Explain, EmptyTrace) {
  const Explanation result = explained(TraceBuilder().done());
  EXPECT_TRUE(result.groups.empty());
  EXPECT_EQ(result.coverage.classified_fraction, 0);
}

}  // namespace
}  // namespace pagoda
