#include <gtest/gtest.h>

#include "trace/trace.h"

namespace pagoda {
namespace {

HostScope scope(Nanos start, Nanos duration, std::uint32_t thread = 0) {
  HostScope s;
  s.start_ns = start;
  s.duration_ns = duration;
  s.thread = thread;
  return s;
}

Launch launch(Nanos start, Nanos duration, std::uint64_t correlation, RuntimeCallKind kind,
              std::uint32_t thread = 0, std::uint32_t process = 0) {
  Launch l;
  l.start_ns = start;
  l.duration_ns = duration;
  l.correlation = correlation;
  l.kind = kind;
  l.thread = thread;
  l.process = process;
  return l;
}

GpuEvent kernel(Nanos start, std::uint64_t correlation, std::uint32_t process = 0) {
  GpuEvent e;
  e.start_ns = start;
  e.duration_ns = 5;
  e.correlation = correlation;
  e.device = 0;
  e.process = process;
  return e;
}

TEST(Link, NestsScopesAndPutsLaunchesInTheInnermost) {
  Trace trace;
  trace.scopes = {scope(20, 10), scope(0, 100), scope(10, 50), scope(0, 100, 1)};
  trace.launches = {
      launch(25, 2, 1, RuntimeCallKind::kernel_launch), launch(70, 2, 2, RuntimeCallKind::kernel_launch),
      launch(25, 2, 3, RuntimeCallKind::kernel_launch, 1), launch(100, 2, 4, RuntimeCallKind::kernel_launch)};
  link(trace);
  ASSERT_EQ(trace.scopes[0].duration_ns, 100);
  EXPECT_EQ(trace.scopes[0].parent, kNone);
  EXPECT_EQ(trace.scopes[1].parent, 0u);
  EXPECT_EQ(trace.scopes[2].parent, 1u);
  EXPECT_EQ(trace.scopes[3].parent, kNone);
  EXPECT_EQ(trace.launches[0].scope, 2u);
  EXPECT_EQ(trace.launches[1].scope, 0u);
  EXPECT_EQ(trace.launches[2].scope, kNone) << "a scope is half open: what starts at its end is outside";
  EXPECT_EQ(trace.launches[3].scope, 3u);
}

TEST(Link, AScopeThatOutlivesAnotherIsNotItsChild) {
  Trace trace;
  trace.scopes = {scope(0, 100), scope(10, 20), scope(15, 40)};
  link(trace);
  EXPECT_EQ(trace.scopes[2].parent, 0u);
}

TEST(Link, CorrelationIsKeyedByProcessAndPrefersTheCallThatLaunches) {
  Trace trace;
  trace.launches = {launch(0, 1, 7, RuntimeCallKind::other), launch(5, 1, 7, RuntimeCallKind::graph_launch),
                    launch(0, 1, 7, RuntimeCallKind::kernel_launch, 1, 1),
                    launch(9, 1, 8, RuntimeCallKind::synchronize)};
  trace.gpu_events = {kernel(10, 7), kernel(11, 7, 1), kernel(12, 7, 2), kernel(13, 0), kernel(14, 8)};
  link(trace);
  const auto kind_of = [&](std::size_t row) { return trace.launches[trace.gpu_events[row].launch].kind; };
  EXPECT_EQ(kind_of(0), RuntimeCallKind::graph_launch);
  EXPECT_EQ(kind_of(1), RuntimeCallKind::kernel_launch);
  EXPECT_EQ(trace.gpu_events[2].launch, kNone);
  EXPECT_EQ(trace.gpu_events[3].launch, kNone);
  EXPECT_EQ(kind_of(4), RuntimeCallKind::synchronize) << "any call with the id beats no launch at all";
}

TEST(RuntimeCalls, AreClassifiedAcrossRuntimesAndSpellings) {
  using Kind = RuntimeCallKind;
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "cudaLaunchKernel_v7000",
        "cudaLaunchCooperativeKernel", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel",
        "cuLaunchCooperativeKernel", "hipExtLaunchKernel", "hipLaunchCooperativeKernel",
        "cudaLaunchCooperativeKernelMultiDevice"}) {
    EXPECT_EQ(classify_runtime_call(name), Kind::kernel_launch) << name;
  }
  for (const char* name :
       {"cudaGraphLaunch", "hipGraphLaunch", "cuGraphLaunch_ptsz", "cudaGraphLaunch_v10000"}) {
    EXPECT_EQ(classify_runtime_call(name), Kind::graph_launch) << name;
  }
  EXPECT_EQ(classify_runtime_call("cudaLaunchHostFunc"), Kind::other);
  EXPECT_EQ(classify_runtime_call("hipDeviceSynchronize"), Kind::synchronize);
  EXPECT_EQ(classify_runtime_call("cuStreamSynchronize"), Kind::synchronize);
  EXPECT_EQ(classify_runtime_call("cudaMemcpyAsync"), Kind::memcpy);
  EXPECT_EQ(classify_runtime_call("cuMemcpyDtoHAsync_v2"), Kind::memcpy);
  EXPECT_EQ(classify_runtime_call("cudaMemsetAsync"), Kind::memset);
  EXPECT_EQ(classify_runtime_call("cudaFree"), Kind::allocation);
  EXPECT_EQ(classify_runtime_call("cudaEventQuery"), Kind::other);
}

TEST(Diagnostics, CountsByKindAndKeepsTheFirstOffset) {
  Diagnostics all, second;
  all.add("truncated", 900, "tail");
  second.add("truncated", 40, "head");
  second.add("negative_duration", {}, "k");
  all.merge(second);
  EXPECT_EQ(all.count("truncated"), 2u);
  EXPECT_EQ(all.entries().at("truncated").first_byte_offset, 40u);
  EXPECT_EQ(all.entries().at("truncated").example, "head");
  EXPECT_EQ(all.count("unheard_of"), 0u);
}

}  // namespace
}  // namespace pagoda
