#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "analysis/analyze.h"
#include "analysis/testing/trace_builder.h"
#include "core/error.h"

namespace pagoda {
namespace {

using testing::TraceBuilder;

Nanos bucket(const DeviceAccount& account, Bucket which) {
  return account.buckets_ns[static_cast<std::size_t>(which)];
}

DeviceAccount only_device(const TraceAccount& account) {
  EXPECT_EQ(account.devices.size(), 1u);
  return account.devices.at(0);
}

TEST(Account, UnionsNotSums) {
  // compute 0-10 and 5-15 on two streams, a collective 12-30, a copy 28-40, idle 40-50, compute 50-60
  const auto account = only_device(analyze_trace(TraceBuilder()
                                                     .kernel("a", 0, 10)
                                                     .kernel("b", 5, 10, 0, 8)
                                                     .kernel("ncclDevKernel_AllReduce", 12, 18, 0, 9)
                                                     .gpu(GpuEventKind::memcpy, "Memcpy DtoH", 28, 12)
                                                     .kernel("c", 50, 10)
                                                     .done()));
  EXPECT_EQ(account.window_ns, 60);
  EXPECT_EQ(account.busy_ns, 50);
  EXPECT_EQ(account.idle_ns, 10);
  EXPECT_EQ(account.compute_ns, 25);
  EXPECT_EQ(account.communication_ns, 18);
  EXPECT_EQ(account.exposed_communication_ns, 15);
  EXPECT_EQ(account.overlapped_communication_ns, 3);
  EXPECT_EQ(account.exposed_copy_ns, 10);
  EXPECT_EQ(account.kernel_sum_ns, (CountsByKind{30, 18, 12, 0}));
  EXPECT_EQ(account.counts, (CountsByKind{3, 1, 1, 0}));
  EXPECT_EQ(account.window_minus_buckets_ns(), 0);
  EXPECT_EQ(account.busy_minus_buckets_ns(), 0);
}

TEST(Account, AnInstantBelongsToTheKernelThatStartedFirst) {
  const Trace trace =
      TraceBuilder().kernel("a", 0, 10).kernel("b", 5, 10, 0, 8).kernel("c", 6, 2, 0, 9).done();
  const std::vector<Bound> bounds = {Bound::compute, Bound::memory, Bound::latency};
  const auto account = only_device(analyze_trace(trace, attribute(trace), {}, bounds));
  EXPECT_EQ(bucket(account, Bucket::compute_bound), 10);
  EXPECT_EQ(bucket(account, Bucket::memory_bound), 5);
  EXPECT_EQ(bucket(account, Bucket::latency_bound), 0);
  EXPECT_EQ(account.busy_minus_buckets_ns(), 0);
}

TEST(Account, SynchroniseCallsAreNoGpuWorkAndOverlapOnAStreamIsLegal) {
  const auto account = only_device(analyze_trace(TraceBuilder()
                                                     .launch(0, 90, 5, "cudaDeviceSynchronize")
                                                     .kernel("a", 0, 10)
                                                     .kernel("pdl", 9, 11)
                                                     .done()));
  EXPECT_EQ(account.busy_ns, 20);
  ASSERT_EQ(account.streams.size(), 1u);
  EXPECT_EQ(account.streams[0].overlaps, 1);
  EXPECT_EQ(account.streams[0].worst_overlap_ns, 1);
  EXPECT_EQ(account.streams[0].busy_ns, 20);
}

TEST(Account, DevicesDoNotTouchEachOther) {
  const auto alone = analyze_trace(TraceBuilder().kernel("a", 0, 10).kernel("a", 30, 5).done());
  const auto beside = analyze_trace(TraceBuilder()
                                        .device(1, "other")
                                        .kernel("a", 0, 10)
                                        .kernel("a", 30, 5)
                                        .kernel("x", 3, 500, 0, 7, 1)
                                        .done());
  ASSERT_EQ(beside.devices.size(), 2u);
  EXPECT_EQ(beside.devices[0].buckets_ns, alone.devices[0].buckets_ns);
  EXPECT_EQ(beside.devices[1].busy_ns, 500);
  EXPECT_EQ(beside.devices[1].idle_ns, 0);
}

TEST(Account, NothingButZeroLengthEventsIsAWindowOfZero) {
  const auto account = only_device(analyze_trace(TraceBuilder().kernel("a", 7, 0).done()));
  EXPECT_EQ(account.window_ns, 0);
  EXPECT_EQ(account.counts.compute, 1);
  EXPECT_EQ(analyze_trace(Trace{}).devices.size(), 0u);
}

TEST(Idle, LaunchBoundWhenTheCallCameAfterTheGpuRanDry) {
  const auto result = analyze_trace(TraceBuilder()
                                        .op("aten::mul", 100, 140)
                                        .launch(0, 2, 1)
                                        .kernel("a", 5, 10, 1)
                                        .launch(110, 5, 2)
                                        .kernel("b", 120, 10, 2)
                                        .done());
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_launch), 105);
  ASSERT_EQ(result.idle_causes.size(), 1u);
  EXPECT_EQ(result.idle_causes[0].what, "cudaLaunchKernel of aten::mul");
  EXPECT_EQ(result.idle_causes[0].gaps, 1);
}

TEST(Idle, SyncBoundWhileTheHostWaitsOrReadsBack) {
  const auto result = analyze_trace(TraceBuilder()
                                        .op("aten::item", 10, 60)
                                        .launch(20, 30, 9, "cudaStreamSynchronize")
                                        .launch(0, 2, 1)
                                        .kernel("a", 5, 10, 1)
                                        .launch(70, 5, 2)
                                        .kernel("b", 80, 10, 2)
                                        .done());
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_sync), 45);    // 15..60
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_launch), 20);  // 60..80
  EXPECT_EQ(result.devices[0].window_minus_buckets_ns(), 0);
}

TEST(Idle, HostBoundWhenTheThreadIsElsewhereForLong) {
  const Nanos long_ns = 3 * 500'000;
  const auto result = analyze_trace(TraceBuilder()
                                        .launch(0, 2, 1)
                                        .kernel("a", 5, 10, 1)
                                        .launch(long_ns, 5, 2)
                                        .kernel("b", long_ns + 10, 10, 2)
                                        .done());
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_host), long_ns - 15);
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_launch), 10);

  const auto loading =
      analyze_trace(TraceBuilder()
                        .op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 20, 90)
                        .launch(0, 2, 1)
                        .kernel("a", 5, 10, 1)
                        .launch(95, 5, 2)
                        .kernel("b", 100, 10, 2)
                        .done());
  EXPECT_EQ(bucket(loading.devices[0], Bucket::idle_host), 70);
}

TEST(Idle, AQueuedKernelThatWaitsLongIsUnknownAndSoIsOneWithoutLaunch) {
  const auto queued = analyze_trace(TraceBuilder()
                                        .launch(0, 2, 1)
                                        .launch(3, 2, 2)
                                        .launch(6, 1, 3)
                                        .kernel("a", 10, 10, 1)
                                        .kernel("b", 22, 10, 2)
                                        .kernel("c", 100'000, 10, 3)
                                        .done());
  EXPECT_EQ(bucket(queued.devices[0], Bucket::idle_launch), 2);
  EXPECT_EQ(bucket(queued.devices[0], Bucket::idle_unknown), 100'000 - 32);
  const auto bare = analyze_trace(TraceBuilder().kernel("a", 0, 10).kernel("b", 50, 10).done());
  EXPECT_EQ(bucket(bare.devices[0], Bucket::idle_unknown), 40);
}

TEST(Idle, InsideAGraphReplayIsUnreliable) {
  const auto result = analyze_trace(
      TraceBuilder().launch(0, 5, 1, "hipGraphLaunch").kernel("a", 10, 10, 1).kernel("b", 500, 10, 1).done());
  EXPECT_TRUE(result.devices[0].idle_unreliable);
  EXPECT_EQ(bucket(result.devices[0], Bucket::idle_unknown), 480);
  EXPECT_EQ(result.devices[0].graph_ns, 20);
  ASSERT_EQ(result.graphs.size(), 1u);
  EXPECT_EQ(result.graphs[0].gpu_events, 2);
  const Analysis combined = combine({result});
  EXPECT_FALSE(combined.warnings.empty());
}

TEST(Attribution, FollowsCorrelationToOpModuleAnnotationAndPhase) {
  const auto result = analyze_trace(
      TraceBuilder()
          .scope(ScopeKind::annotation, "step", 0, 1000)
          .scope(ScopeKind::module, "nn.Module: Linear_0", 5, 500)
          .op("aten::linear", 10, 200, "[[1,8],[4,8],[]]", "[\"c10::BFloat16\",\"c10::BFloat16\",\"Scalar\"]")
          .op("aten::mm", 20, 100, "[[1,8],[8,4]]", "[\"c10::BFloat16\",\"c10::BFloat16\"]")
          .launch(30, 5, 1)
          .kernel("gemm", 50, 10, 1)
          .kernel("splitK", 60, 5, 1)
          .done());
  ASSERT_EQ(result.operators.size(), 1u);
  const OperatorRow& row = result.operators[0];
  EXPECT_EQ(row.name, "aten::mm");
  EXPECT_EQ(row.shapes, "[1,8] [8,4]");
  EXPECT_EQ(row.dtypes, "bfloat16 bfloat16");
  EXPECT_EQ(row.module, "nn.Module: Linear_0");
  EXPECT_EQ(row.annotation, "step");
  EXPECT_EQ(row.phase, Phase::forward);
  EXPECT_EQ(row.how, Attributed::correlation);
  EXPECT_EQ(row.calls, 1);
  EXPECT_EQ(row.gpu_events, 2);
  EXPECT_EQ(row.time_ns, 15);
  EXPECT_EQ(row.top_kernel, "gemm");
}

TEST(Attribution, BackwardTakesItsForwardOpsModule) {
  const Trace trace = TraceBuilder()
                          .thread("200")
                          .scope(ScopeKind::module, "nn.Module: RMSNorm_3", 0, 100)
                          .op("aten::mul", 10, 50)
                          .autograd(42, 0)
                          .op("autograd::engine::evaluate_function: MulBackward0", 200, 300, {}, {}, 1)
                          .autograd(42, 1)
                          .op("aten::mul", 210, 250, {}, {}, 1)
                          .launch(220, 5, 7, "cudaLaunchKernel", 1)
                          .kernel("mul", 230, 5, 7)
                          .done();
  const Attribution where = attribute(trace).at(0);
  EXPECT_EQ(where.phase, Phase::backward);
  ASSERT_NE(where.module, kNone);
  EXPECT_EQ(trace.text(trace.scopes[where.module].name), "nn.Module: RMSNorm_3");
}

TEST(Attribution, OptimizerAndExternalId) {
  TraceBuilder builder;
  builder.thread("5")
      .scope(ScopeKind::annotation, "Optimizer.step#AdamW.step", 0, 100)
      .launch(10, 1, 1)
      .kernel("adam", 20, 5, 1);
  builder.op("aten::add", 200, 300).launch(210, 5, 2, "cudaLaunchKernel", 1).kernel("add", 220, 5, 2);
  builder.raw().scopes.back().external_id = 77;
  builder.raw().launches.back().external_id = 77;
  const Trace trace = builder.done();
  const auto where = attribute(trace);
  EXPECT_EQ(where[0].phase, Phase::optimizer);
  EXPECT_EQ(where[0].how, Attributed::launch_only);
  EXPECT_EQ(where[1].how, Attributed::external_id);
  EXPECT_NE(where[1].op, kNone);
}

TEST(Attribution, LaunchedBeforeCaptureIsTheHeadOnly) {
  const auto account = only_device(analyze_trace(TraceBuilder()
                                                     .kernel("early", 0, 10)
                                                     .kernel("early", 10, 5)
                                                     .launch(5, 1, 3)
                                                     .kernel("a", 20, 10, 3)
                                                     .kernel("lost", 40, 7)
                                                     .done()));
  EXPECT_EQ(account.launched_before_capture_ns, 15);
  EXPECT_EQ(account.launched_before_capture_count, 2);
  EXPECT_EQ(account.without_launch_ns, 22);
  EXPECT_EQ(account.unattributed_ns, 32);
}

TEST(Attribution, LaunchesWithoutKernelsAreCounted) {
  const auto result =
      analyze_trace(TraceBuilder().launch(0, 1, 1).launch(2, 1, 2).kernel("a", 5, 5, 2).done());
  EXPECT_EQ(result.diagnostics.count("launch_without_kernel"), 1u);
}

TEST(Window, StepAndAnnotation) {
  const auto build = [] {
    return TraceBuilder()
        .scope(ScopeKind::annotation, "ProfilerStep#7", 100, 200)
        .scope(ScopeKind::annotation, "ProfilerStep#8", 200, 300)
        .scope(ScopeKind::annotation, "forward", 110, 130)
        .scope(ScopeKind::annotation, "forward", 210, 230)
        .launch(50, 1, 1)
        .launch(120, 1, 2)
        .launch(150, 1, 3)
        .launch(220, 1, 4)
        .launch(350, 1, 5)
        .kernel("warm-up", 60, 10, 1)
        .kernel("f", 140, 10, 2)
        .kernel("b", 160, 20, 3)
        .kernel("f", 240, 10, 4)
        .kernel("after", 360, 10, 5)
        .done();
  };
  const auto windowed = [&](std::string_view choice) {
    return only_device(analyze_trace(build(), AnalysisOptions{WindowChoice::parse(choice)}));
  };
  EXPECT_EQ(windowed("all").window_ns, 310);
  const auto step = windowed("step");
  EXPECT_EQ(step.window_ns, 110);  // 140 .. 250
  EXPECT_EQ(step.counts.compute, 3);
  const auto forward = windowed("annotation:forward");
  EXPECT_EQ(forward.window_ns, 20);
  EXPECT_EQ(forward.busy_ns, 20);
  EXPECT_EQ(forward.window_minus_buckets_ns(), 0);
  EXPECT_EQ(find_steps(build()).host.size(), 2u) << "back-to-back steps must not merge";
  EXPECT_THROW(windowed("annotation:nonsense"), Error);
  EXPECT_THROW(WindowChoice::parse("sometimes"), Error);
}

// Truth by brute force: what runs in each nanosecond of a small window.
TEST(Account, EqualsBruteForceOnRandomTraces) {
  std::mt19937 random(20261201);
  for (int round = 0; round < 200; ++round) {
    TraceBuilder builder;
    struct Event {
      Nanos start, end;
      int kind;
    };
    std::vector<Event> events;
    const int count = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < count; ++i) {
      const auto start = static_cast<Nanos>(random() % 200);
      const auto length = static_cast<Nanos>(random() % 30);
      const int kind = static_cast<int>(random() % 3);
      events.push_back({start, start + length, kind});
      if (kind == 2) {
        builder.gpu(GpuEventKind::memcpy, "copy", start, length, 0, static_cast<std::uint32_t>(random() % 3));
      } else {
        builder.kernel(kind == 0 ? "gemm" : "RCCL_kernel", start, length, 0,
                       static_cast<std::uint32_t>(random() % 3));
      }
    }
    const auto account = only_device(analyze_trace(builder.done()));
    Nanos first = INT64_MAX, last = 0, busy = 0, compute = 0, comm = 0, exposed = 0, copy = 0;
    for (const Event& e : events) {
      first = std::min(first, e.start);
      last = std::max(last, e.end);
    }
    for (Nanos t = first; t < last; ++t) {
      bool on[3] = {false, false, false};
      for (const Event& e : events) on[e.kind] = on[e.kind] || (e.start <= t && t < e.end);
      busy += on[0] || on[1] || on[2];
      compute += on[0];
      comm += on[1];
      exposed += on[1] && !on[0];
      copy += on[2] && !on[0] && !on[1];
    }
    EXPECT_EQ(account.window_ns, last - first);
    EXPECT_EQ(account.busy_ns, busy);
    EXPECT_EQ(account.compute_ns, compute);
    EXPECT_EQ(account.communication_ns, comm);
    EXPECT_EQ(account.exposed_communication_ns, exposed);
    EXPECT_EQ(account.exposed_copy_ns, copy);
    EXPECT_EQ(account.window_minus_buckets_ns(), 0);
    EXPECT_EQ(account.busy_minus_buckets_ns(), 0);
  }
}

TEST(Account, SurvivesTheRoundTripToAnotherProcessAndRefusesDamage) {
  TraceBuilder builder;
  builder.rank(3, 8)
      .op("aten::mm", 0, 50, "[[2,2]]", "[\"float\"]")
      .launch(5, 1, 1)
      .kernel("gemm", 20, 10, 1)
      .kernel("x", 99, 1);
  const TraceAccount account = analyze_trace(builder.done());
  const std::string bytes = serialize(account);
  const TraceAccount back = deserialize(bytes);
  EXPECT_EQ(serialize(back), bytes);
  EXPECT_EQ(back.file.rank, 3);
  EXPECT_EQ(back.operators[0].name, account.operators[0].name);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 7)
    EXPECT_THROW(deserialize(bytes.substr(0, cut)), Error);
  EXPECT_THROW(deserialize(bytes + "x"), Error);
}

}  // namespace
}  // namespace pagoda
