#include "trace/join_counters.h"

#include <gtest/gtest.h>

namespace pagoda {
namespace {

constexpr std::uint32_t kAny = 0;

void add_kernel(Trace& trace, const char* name, Nanos start_ns, std::uint32_t grid,
                std::uint32_t block = 128) {
  GpuEvent event;
  event.name = trace.strings.intern(name);
  event.start_ns = start_ns;
  event.duration_ns = 5;
  event.device = 0;
  event.details = static_cast<std::uint32_t>(trace.kernel_details.size());
  trace.kernel_details.push_back({.grid = {grid, 1, 1}, .block = {block, 1, 1}});
  trace.gpu_events.push_back(event);
}

void add_counters(Trace& trace, const char* name, std::uint32_t grid, bool summary = false) {
  KernelCounters row;
  row.name = trace.strings.intern(name);
  row.order = static_cast<std::uint32_t>(trace.counters.size());
  if (grid != kAny) row.details = {.grid = {grid, 1, 1}, .block = {128, 1, 1}};
  if (summary) row.metrics["Invocations"] = 2;
  trace.counters.push_back(row);
}

using Rows = std::vector<std::uint32_t>;

TEST(KernelNames, OneSpellingForAllDemanglers) {
  const char* const expected = "at::native::anonymous::reduce<512,1,ReduceOp<float,1>>";
  for (const char* spelling :
       {"void at::native::<unnamed>::reduce<(int)512, (int)1, ReduceOp<float, (bool)1>>(T3, int)",
        "void at::native::(anonymous namespace)::reduce<512, 1, ReduceOp<float, true> >(ReduceOp<float, "
        "true>)",
        "at::native::(anonymous namespace)::reduce<512,1u,ReduceOp<float,(at::Mode)1> >",
        "void at::native::(anonymous namespace)::reduce<512, 1, ReduceOp<float, true>>(float (*)(int)) "
        "[clone .x]"}) {
    EXPECT_EQ(normal_kernel_name(spelling), expected) << spelling;
  }
  EXPECT_NE(normal_kernel_name("k<(int)-1>"), normal_kernel_name("k<1>"));
  EXPECT_EQ(normal_kernel_name("k<(int)-1>"), "k<-1>");
  EXPECT_EQ(normal_kernel_name("triton_poi_fused_0"), "triton_poi_fused_0");
  EXPECT_EQ(normal_kernel_name(""), "");
  EXPECT_EQ(normal_kernel_name("(x)"), "(x)");
}

TEST(KernelNames, ShortNamesAreTheFunctionAlone) {
  EXPECT_EQ(short_kernel_name("void at::native::reduce_kernel<512, at::Op<a::b>>(at::X)"), "reduce_kernel");
  EXPECT_EQ(short_kernel_name("void Outer<a::b>::run<1>(int)"), "run");
  EXPECT_EQ(short_kernel_name("gemm"), "gemm");
}

TEST(JoinCounters, ByNameAndGridThenOrder) {
  Trace trace;
  add_kernel(trace, "void f<(int)1>(int)", 10, 8);
  add_kernel(trace, "void f<(int)1>(int)", 20, 16);
  add_kernel(trace, "void f<(int)1>(int)", 30, 8);
  add_kernel(trace, "void g(int)", 40, 8);
  Trace counters;
  add_counters(counters, "void f<1>(int)", 8);
  add_counters(counters, "void f<1>(int)", 8);
  add_counters(counters, "void f<1>(int)", 16);
  EXPECT_EQ(join_counters(trace, counters), (Rows{0, 2, 1, kNone}));
  EXPECT_TRUE(trace.diagnostics.empty());
}

// As Nsight Compute 2025 prints the kernels of torch 2.11: no "native", lambdas in words, parameters by
// template.
TEST(JoinCounters, NamesOfAnotherDemanglerMeetByFunctionGridAndOrder) {
  Trace trace;
  add_kernel(trace,
             "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<unsigned char>, "
             "std::array<char*, 1ul> >(int)",
             10, 8);
  add_kernel(trace,
             "void at::native::vectorized_elementwise_kernel<8, at::native::silu(at::X&)::{lambda()#1}>(int)",
             20, 16);
  add_kernel(trace,
             "void at::native::vectorized_elementwise_kernel<8, at::native::gelu(at::X&)::{lambda()#1}>(int)",
             30, 16);
  Trace counters;
  add_counters(counters,
               "void at::vectorized_elementwise_kernel<4, at::FillFunctor<unsigned char>, std::array<char *, "
               "1>>(int, T2)",
               8);
  add_counters(
      counters,
      "void at::vectorized_elementwise_kernel<8, at::silu(at::X &)::[lambda() (instance 1)]>(int, T2)", 16);
  add_counters(
      counters,
      "void at::vectorized_elementwise_kernel<8, at::gelu(at::X &)::[lambda() (instance 1)]>(int, T2)", 16);
  EXPECT_EQ(join_counters(trace, counters), (Rows{0, 1, 2}));
  EXPECT_TRUE(trace.diagnostics.empty());
}

TEST(JoinCounters, DoesNotGuessWhenCountsDiffer) {
  Trace trace;
  add_kernel(trace, "f<1>", 10, 8);
  add_kernel(trace, "f<1>", 20, 8);
  Trace counters;
  add_counters(counters, "f<1>", 8);
  EXPECT_EQ(join_counters(trace, counters), (Rows{kNone, kNone}));
  EXPECT_EQ(trace.diagnostics.count("ambiguous_counters"), 1u);
  add_counters(counters, "h<1>", 8);
  add_counters(counters, "f<1>", 9);
  Trace again;
  add_kernel(again, "f<1>", 10, 8);
  EXPECT_EQ(join_counters(again, counters), (Rows{0}));
  EXPECT_EQ(again.diagnostics.count("counters_without_kernel"), 2u) << "another name, another grid";
}

TEST(JoinCounters, ShortNamesJoinFullOnes) {
  Trace trace;
  add_kernel(trace, "void at::native::reduce_kernel<512>(int)", 10, 8);
  add_kernel(trace, "void at::native::other<512>(int)", 20, 8);
  Trace counters;
  add_counters(counters, "reduce_kernel", 8);
  EXPECT_EQ(join_counters(trace, counters), (Rows{0, kNone}));
}

TEST(JoinCounters, ASummaryGoesToEveryLaunchItSumsOver) {
  Trace trace;
  add_kernel(trace, "f<1>", 10, 8);
  add_kernel(trace, "f<1>", 20, 8);
  add_kernel(trace, "f<1>", 30, 9);
  Trace counters;
  add_counters(counters, "f<1>", 8, true);
  EXPECT_EQ(join_counters(trace, counters), (Rows{0, 0, kNone}));
}

TEST(JoinCounters, WithoutGridsByNameAndOrder) {
  Trace trace;
  add_kernel(trace, "f<1>", 20, 8);
  add_kernel(trace, "f<1>", 10, 16);
  trace.gpu_events.push_back({.kind = GpuEventKind::memcpy});
  Trace counters;
  add_counters(counters, "f<1>", kAny);
  add_counters(counters, "f<1>", kAny);
  EXPECT_EQ(join_counters(trace, counters), (Rows{1, 0, kNone})) << "in order of time";
}

TEST(JoinCounters, NothingToJoinIsFine) {
  Trace trace;
  EXPECT_TRUE(join_counters(trace, Trace{}).empty());
  add_kernel(trace, "f", 1, 1);
  EXPECT_EQ(join_counters(trace, Trace{}), (Rows{kNone}));
}

}  // namespace
}  // namespace pagoda
