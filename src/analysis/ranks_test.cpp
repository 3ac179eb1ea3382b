#include <gtest/gtest.h>

#include "analysis/analyze.h"
#include "analysis/collectives.h"
#include "analysis/testing/trace_builder.h"

namespace pagoda {
namespace {

using testing::TraceBuilder;

TraceAccount rank_with_collectives(std::int64_t rank, Nanos late_ns, std::int64_t world = 2) {
  TraceBuilder builder;
  builder.rank(rank, world);
  std::uint64_t id = 0;
  for (int call = 0; call < 8; ++call) {
    const Nanos at = 100'000 * call;
    builder.scope(ScopeKind::op, "record_param_comms", at, at + 50)
        .collective("allreduce", "BFloat16", 1'000'000, 2);
    builder.launch(at + 10, 5, ++id);
    builder.kernel("ncclDevKernel_Generic(x)", at + 100 + late_ns, 40'000 - late_ns, id, 9);
    builder.launch(at + 60, 5, ++id);
    builder.kernel("gemm", at + 50'000, 20'000, id);
  }
  return analyze_trace(builder.done());
}

TEST(Ranks, SkewBandwidthAndStragglers) {
  const Analysis analysis = combine({rank_with_collectives(1, 5'000), rank_with_collectives(0, 0)});
  ASSERT_EQ(analysis.devices.size(), 2u);
  EXPECT_EQ(analysis.devices[0].rank, 0);
  ASSERT_EQ(analysis.collectives.size(), 1u);
  const CollectiveRow& row = analysis.collectives[0];
  EXPECT_EQ(row.name, "allreduce") << "the kernel is named Generic: the metadata knows";
  EXPECT_EQ(row.calls, 16);
  EXPECT_EQ(row.median_skew_ns, 5'000);
  // 2 MB in the 35 us of the rank that waits for nobody
  EXPECT_NEAR(row.algorithm_bytes_per_s, 2e6 / 35e-6, 1);
  EXPECT_NEAR(row.bus_bytes_per_s, row.algorithm_bytes_per_s, 1) << "2 (n-1)/n is 1 for two ranks";
  ASSERT_EQ(analysis.stragglers.size(), 1u);
  EXPECT_EQ(analysis.stragglers[0].rank, 1);
  EXPECT_TRUE(analysis.warnings.empty());
}

TEST(Ranks, OrderOfAccountsDoesNotMatterAndMissingRanksAreSaid) {
  const Analysis a = combine({rank_with_collectives(0, 0, 8), rank_with_collectives(1, 10, 8)});
  const Analysis b = combine({rank_with_collectives(1, 10, 8), rank_with_collectives(0, 0, 8)});
  EXPECT_EQ(a.devices[1].file, b.devices[1].file);
  EXPECT_EQ(a.operators.size(), b.operators.size());
  ASSERT_FALSE(a.warnings.empty());
  EXPECT_NE(a.warnings[0].find("2 of 8 ranks"), std::string::npos);
}

TEST(Collectives, SkewAtTheEdgeOfTheCaptureIsTrimmed) {
  TraceBuilder builder;
  builder.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(x)", 0, 17'456'000'000);
  for (int i = 0; i < 63; ++i)
    builder.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(x)", 17'460'000'000 + i * 20'000, 14'300);
  const Analysis analysis = combine({analyze_trace(builder.done())});
  ASSERT_EQ(analysis.collectives.size(), 1u);
  EXPECT_EQ(analysis.collectives[0].name, "allreduce");
  EXPECT_EQ(analysis.collectives[0].edge_calls, 1);
  EXPECT_EQ(analysis.collectives[0].median_ns, 14'300);
  EXPECT_EQ(analysis.collectives[0].p99_ns, 14'300);
}

TEST(Collectives, NamesBytesAndFactors) {
  EXPECT_EQ(canonical_collective("_allgather_base"), "allgather");
  EXPECT_EQ(canonical_collective("all_gather_into_tensor_coalesced"), "allgather");
  EXPECT_EQ(canonical_collective("reduce_scatter_tensor"), "reducescatter");
  EXPECT_EQ(canonical_collective("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), "reducescatter");
  EXPECT_EQ(canonical_collective("nccl:all_to_all"), "alltoall");
  EXPECT_EQ(canonical_collective("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t"), "sendrecv");
  EXPECT_EQ(canonical_collective("something_else"), "something_else");
  EXPECT_EQ(dtype_bytes("BFloat16"), 2);
  EXPECT_EQ(dtype_bytes("Float"), 4);
  EXPECT_EQ(dtype_bytes("c10::Half"), 2);
  EXPECT_EQ(dtype_bytes("Double"), 8);
  EXPECT_EQ(dtype_bytes("Long"), 8);
  EXPECT_EQ(dtype_bytes("Float8_e4m3fn"), 1);
  EXPECT_EQ(dtype_bytes("mystery"), 0);
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor("allgather", 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor("allreduce", -1), -1);
  CollectiveCall call;
  call.name = "_allgather_base";
  call.dtype = "BFloat16";
  call.in_elements = 10;
  call.out_elements = 80;
  call.group_size = 8;
  EXPECT_DOUBLE_EQ(algorithm_bytes(call), 160);
}

}  // namespace
}  // namespace pagoda
