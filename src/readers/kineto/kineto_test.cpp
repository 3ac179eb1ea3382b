#include "readers/kineto/kineto.h"

#include <gtest/gtest.h>

#include "readers/testing/text_content.h"

namespace pagoda {
namespace {

Trace read(std::string_view json, std::size_t step_bytes = 1 << 20) {
  test::TextContent content(json, step_bytes);
  EXPECT_TRUE(kKinetoFormat.sniff(content.head())) << json.substr(0, 100);
  return kKinetoFormat.read(content, {});
}

/// A trace of these events.
std::string trace_of(const std::string& events) {
  return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

std::string kernel(const std::string& ts, const std::string& dur, const std::string& name = "k",
                   const std::string& args = R"("device": 0, "stream": 7, "correlation": 1)") {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" + ts +
         R"(, "dur": )" + dur + R"(, "args": {)" + args + "}}";
}

constexpr const char* kLaunch =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": 1, "dur": 2,)"
    R"( "args": {"correlation": 1, "External id": 9}})";

TEST(Kineto, AWholeTrace) {
  const Trace trace = read(R"({
  "schemaVersion": 1,
  "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320, "computeMajor": 9,
    "computeMinor": 0, "numSms": 132, "warpSize": 32, "sharedMemPerMultiprocessor": 233472}],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.22.3"},
  "host_name": "secret.example", "username": "somebody", "cuda_runtime_version": 13000, "with_stack": 1,
  "traceEvents": [
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "pid": 100, "tid": 100, "ts": 0.5, "dur": 90},
  {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 100, "tid": 100, "ts": 0.750, "dur": 9.001,
   "args": {"External id": 9, "Sequence number": 77, "Fwd thread id": 0, "Input Dims": [[2, 3], [3, 4]],
            "Input type": ["c10::BFloat16", "c10::BFloat16"], "Input Strides": [[3, 1], [4, 1]], "Concrete Inputs": ["", ""]}},
  )" + std::string(kLaunch) +
                           "," + kernel("12.345", "6.789", "gemm<float>", R"("device": 0, "stream": 7,
   "correlation": 1, "registers per thread": 32, "shared memory": 1024, "grid": [10, 2, 1], "block": [128, 1, 1])") +
                           R"(,
  {"ph": "s", "id": 1, "pid": 100, "tid": 100, "ts": 1, "cat": "ac2g", "name": "ac2g"},
  {"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python3"}},
  {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 5, "dur": 1}
  ],
  "traceName": "x.json", "displayTimeUnit": "ms"
})");
  EXPECT_FALSE(trace.truncated);
  EXPECT_EQ(trace.event_count, 7u);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  EXPECT_EQ(trace.metadata.at("cuda_runtime_version"), "13000");
  EXPECT_EQ(trace.metadata.at("nccl_version"), "2.22.3");
  EXPECT_FALSE(trace.metadata.contains("host_name"));
  EXPECT_FALSE(trace.metadata.contains("username"));
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(trace.devices[0].sm_count, 132);
  ASSERT_EQ(trace.gpu_events.size(), 1u);
  const GpuEvent& event = trace.gpu_events[0];
  EXPECT_EQ(event.start_ns, 12'345);
  EXPECT_EQ(event.duration_ns, 6'789);
  EXPECT_EQ(trace.text(event.name), "gemm<float>");
  const KernelDetails& details = trace.kernel_details.at(event.details);
  EXPECT_EQ(details.grid, (std::array<std::uint32_t, 3>{10, 2, 1}));
  EXPECT_EQ(details.block, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(details.registers_per_thread, 32u);
  EXPECT_EQ(details.shared_memory_bytes, 1024u);
  ASSERT_NE(event.launch, kNone);
  const Launch& launch = trace.launches[event.launch];
  EXPECT_EQ(launch.external_id, 9u);
  ASSERT_NE(launch.scope, kNone);
  const HostScope& op = trace.scopes[launch.scope];
  EXPECT_EQ(trace.text(op.name), "aten::mm");
  EXPECT_EQ(trace.text(trace.op_args.at(op.args).dims), "[[2,3],[3,4]]");
  EXPECT_EQ(trace.text(trace.op_args.at(op.args).types), R"(["c10::BFloat16","c10::BFloat16"])");
  EXPECT_EQ(trace.autograd.at(op.autograd).sequence_number, 77);
  EXPECT_EQ(trace.text(trace.scopes.at(op.parent).name), "ProfilerStep#4");
  EXPECT_EQ(trace.processes.at(trace.threads.at(op.thread).process).name, "python3");
  EXPECT_EQ(trace.other_categories.at("overhead"), 1u);
  EXPECT_TRUE(trace.diagnostics.empty());
}

TEST(Kineto, BareListStringIdsAndEventsOfTorchBefore18) {
  const Trace trace = read(R"([
   {"name": "aten::add", "ph": "X", "ts": 10, "dur": 5, "tid": 1, "pid": "CPU functions", "args": {}},
   {"name": "add_kernel", "ph": "X", "ts": 12, "dur": 2, "tid": 0, "pid": "CUDA functions", "args": {}}])");
  EXPECT_FALSE(trace.truncated);
  ASSERT_EQ(trace.scopes.size(), 1u);
  ASSERT_EQ(trace.gpu_events.size(), 1u);
  EXPECT_EQ(trace.devices.at(trace.gpu_events[0].device).id, 0);
}

TEST(Kineto, CapitalCategoriesOfTorch18) {
  const Trace trace = read(trace_of(
      R"({"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 5, "tid": "77", "ts": 1, "dur": 9,)"
      R"( "args": {"Input dims": [[1]]}},)"
      R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 77, "ts": 2, "dur": 1,)"
      R"( "args": {"correlation": 4, "external id": 3}},)"
      R"({"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 20, "dur": 1,)"
      R"( "args": {"device": 0, "stream": 7, "correlation": 4}},)"
      R"({"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": "stream 7", "ts": 30, "dur": 1, "args": {}})"));
  ASSERT_EQ(trace.gpu_events.size(), 1u);
  ASSERT_NE(trace.gpu_events[0].launch, kNone);
  EXPECT_NE(trace.launches[trace.gpu_events[0].launch].scope, kNone) << "tid 77 and \"77\" are one thread";
  EXPECT_EQ(trace.other_categories.at("Memcpy"), 1u) << "said, not dropped in silence";
}

TEST(Kineto, GpuWorkIsDecidedByCategoryNotByItsStream) {
  const Trace trace = read(trace_of(
      R"({"ph": "X", "cat": "cpu_op", "name": "triton_poi_fused_0", "pid": 1, "tid": 1, "ts": 1, "dur": 2,)"
      R"( "args": {"stream": 0, "kernel_backend": "triton", "num_warps": 4}},)"
      R"({"ph": "X", "cat": "cuda_sync", "name": "Stream Sync", "pid": 0, "tid": 7, "ts": 1, "dur": 99,)"
      R"( "args": {"stream": 7, "device": 0}})"));
  EXPECT_TRUE(trace.gpu_events.empty());
  ASSERT_EQ(trace.scopes.size(), 1u);
  EXPECT_EQ(trace.text(trace.op_args.at(trace.scopes[0].args).kernel),
            R"({"kernel_backend":"triton","num_warps":4})");
}

TEST(Kineto, TimesAreExactNanoseconds) {
  const Trace trace =
      read(trace_of(kernel("1712195495519689.123", "0.001") + "," + kernel("5224094465740.82", "1e3") + "," +
                    kernel("\"7000000000.5\"", "2.0004") + "," + kernel("7000000001.1239999", "0")));
  ASSERT_EQ(trace.gpu_events.size(), 4u);
  EXPECT_EQ(trace.gpu_events[0].start_ns, 7'000'000'000'500);
  EXPECT_EQ(trace.gpu_events[0].duration_ns, 2'000);
  EXPECT_EQ(trace.gpu_events[1].start_ns, 7'000'000'001'124);
  EXPECT_EQ(trace.gpu_events[2].start_ns, 5'224'094'465'740'820);
  EXPECT_EQ(trace.gpu_events[2].duration_ns, 1'000'000);
  EXPECT_EQ(trace.gpu_events[3].start_ns, 1'712'195'495'519'689'123);
  EXPECT_EQ(trace.gpu_events[3].duration_ns, 1);
}

TEST(Kineto, ControlCharactersQuotesAndBackslashesInNames) {
  const std::string good = kernel("50", "1", "good");
  const Trace trace = read(trace_of(
      kernel("10", "1", "with \x01 and \n in it") + "," + kernel("20", "1", R"(say "hello, world" twice)") +
      "," + kernel("30", "1", R"(C:\dir\Users\x)") + "," + kernel("40", "1", R"(ends in C:\dir\)") + "," +
      good + "," + kernel("60", "1", R"(real \"escape\" \u00e9 \ud83d\ude00 \\)")));
  ASSERT_EQ(trace.gpu_events.size(), 6u);
  EXPECT_EQ(trace.text(trace.gpu_events[0].name), "with \x01 and \n in it");
  EXPECT_EQ(trace.text(trace.gpu_events[1].name), R"(say "hello, world" twice)");
  EXPECT_EQ(trace.text(trace.gpu_events[2].name), R"(C:\dir\Users\x)");
  EXPECT_EQ(trace.text(trace.gpu_events[3].name), R"(ends in C:\dir\)");
  EXPECT_EQ(trace.text(trace.gpu_events[5].name), "real \"escape\" \xC3\xA9 \xF0\x9F\x98\x80 \\");
  EXPECT_EQ(trace.diagnostics.count("control_character"), 1u);
  EXPECT_EQ(trace.diagnostics.count("raw_quote"), 1u);
  EXPECT_EQ(trace.diagnostics.count("bad_escape"), 2u);
  EXPECT_TRUE(trace.diagnostics.entries().at("raw_quote").first_byte_offset.has_value());
  EXPECT_FALSE(trace.truncated);
}

TEST(Kineto, NotANumberIsMissingNotZero) {
  const Trace trace = read(trace_of(
      kernel("10", "1", "k",
             R"("device": 0, "correlation": 1, "blocks per SM": NaN, "x": Infinity, "y": -Infinity)") +
      "," + kernel("NaN", "1") + "," + kernel("20", "null")));
  EXPECT_EQ(trace.gpu_events.size(), 1u);
  EXPECT_EQ(trace.diagnostics.count("missing_time"), 2u);
}

TEST(Kineto, NegativeZeroAndHugeTimes) {
  const Trace trace =
      read(trace_of(kernel("5000000", "-1") + "," + kernel("5000001", "0") + "," + kernel("0", "0") + "," +
                    kernel("99999999999999999999", "1") + "," + kernel("5000002", "3")));
  ASSERT_EQ(trace.gpu_events.size(), 2u);
  EXPECT_EQ(trace.gpu_events[0].start_ns, 5'000'001'000) << "a block with time 0 must not stretch the window";
  EXPECT_EQ(trace.diagnostics.count("negative_duration"), 1u);
  EXPECT_EQ(trace.diagnostics.count("zero_timestamp"), 1u);
  EXPECT_EQ(trace.diagnostics.count("time_out_of_range"), 1u);
  EXPECT_EQ(read(trace_of(kernel("0", "5") + "," + kernel("7", "1"))).gpu_events.size(), 2u)
      << "a clock that starts at 0 is a clock";
}

TEST(Kineto, IntegersAbove53BitsKeepAllDigits) {
  const Trace trace = read(trace_of(
      kernel(
          "1", "1", "k",
          R"("device": 0, "stream": 7, "correlation": 9007199254740993, "Comms Id": 10159970886766084423)") +
      "," + kernel("3", "1", "k", R"("device": 0, "correlation": 18446744073709551615)") + "," +
      R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0, "dur": 1,)"
      R"( "args": {"correlation": 9007199254740992}})"));
  ASSERT_EQ(trace.gpu_events.size(), 2u);
  EXPECT_EQ(trace.gpu_events[0].correlation, 9007199254740993u);
  EXPECT_EQ(trace.gpu_events[0].launch, kNone) << "ids that differ in the last bit are two ids";
  EXPECT_EQ(trace.gpu_events[1].correlation, 18446744073709551615u);
}

// Whatever byte the file ends at, every event that is whole is kept, and the cut is said.
TEST(Kineto, TruncatedAnywhere) {
  std::vector<std::size_t> ends;  // where each event is complete
  std::string json = R"({"schemaVersion": 1, "traceEvents": [)";
  for (int i = 0; i < 4; ++i) {
    json += (i ? "," : "") + kernel(std::to_string(10 * i + 1), "5", "k, {\\\"ph\\\"");
    ends.push_back(json.size());
  }
  const std::size_t closed = json.size() + 1;
  json += "]}";
  for (std::size_t length = 25; length <= json.size(); ++length) {
    const std::string cut = json.substr(0, length);
    test::TextContent content(cut, 7);
    const Trace trace = kKinetoFormat.read(content, {});
    const auto whole =
        std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= length; });
    EXPECT_EQ(trace.gpu_events.size(), static_cast<std::size_t>(whole)) << length;
    EXPECT_EQ(trace.truncated, length < closed + 1) << length;
    EXPECT_EQ(trace.content_bytes, length);
  }
}

TEST(Kineto, DamageInTheMiddleLosesOneEvent) {
  const std::string broken = R"({"ph": "X", "cat": "kernel", "name": @@@, "ts": 1])";
  const Trace trace =
      read(trace_of(kernel("1", "1") + "," + broken + "}," + kernel("3", "1") + "," + kernel("5", "1")));
  EXPECT_EQ(trace.gpu_events.size(), 3u);
  EXPECT_EQ(trace.diagnostics.count("unreadable_event"), 1u);
  EXPECT_EQ(trace.event_count, 4u);
  EXPECT_FALSE(trace.truncated);
}

TEST(Kineto, EventsLargerThanAnyBlock) {
  const std::string name(3 << 20, 'n');
  const Trace trace =
      read(trace_of(kernel("1", "1") + "," + kernel("3", "1", name) + "," + kernel("5", "1")), 100'000);
  ASSERT_EQ(trace.gpu_events.size(), 3u);
  EXPECT_EQ(trace.text(trace.gpu_events[1].name).size(), name.size());
}

// The reader must not care how the bytes arrive.
TEST(Kineto, BlocksCutAnywhereGiveTheSameTrace) {
  std::string events;
  for (int i = 0; i < 300; ++i)
    events += (i ? ",\n  " : "") + kernel(std::to_string(i), "0.5", "k" + std::to_string(i % 7));
  const std::string json = trace_of(events);
  for (std::size_t step : {1, 2, 3, 17, 4096}) {
    const Trace trace = read(json, step);
    ASSERT_EQ(trace.gpu_events.size(), 300u);
    EXPECT_EQ(trace.gpu_events[299].start_ns, 299'000);
  }
}

TEST(Kineto, CollectivesAndForwardBackwardFlows) {
  const Trace trace = read(trace_of(
      R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args":)"
      R"( {"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 8,)"
      R"( "dtype": "BFloat16", "Process Group Name": "0"}},)"
      R"({"ph": "s", "id": 3, "pid": 1, "tid": 1, "ts": 1.5, "cat": "fwdbwd", "name": "fwdbwd"},)"
      R"({"ph": "f", "id": 3, "pid": 1, "tid": 2, "ts": 9.5, "cat": "fwdbwd", "name": "fwdbwd", "bp": "e"})"));
  ASSERT_EQ(trace.collectives.size(), 1u);
  EXPECT_EQ(trace.text(trace.collectives[0].name), "allreduce");
  EXPECT_EQ(trace.collectives[0].group_size, 8);
  EXPECT_EQ(trace.collectives[0].in_elements, 1024);
  ASSERT_EQ(trace.forward_backward.size(), 1u);
  EXPECT_EQ(trace.forward_backward[0].forward_ns, 1'500);
  EXPECT_EQ(trace.forward_backward[0].backward_ns, 9'500);
  EXPECT_NE(trace.forward_backward[0].forward_thread, trace.forward_backward[0].backward_thread);
}

TEST(Kineto, ModulesPythonFramesMemoryAndGpuAnnotations) {
  const Trace trace = read(trace_of(
      R"({"ph": "X", "cat": "python_function", "name": "nn.Module: LlamaMLP_0", "pid": 1, "tid": 1, "ts": 1, "dur": 9},)"
      R"({"ph": "X", "cat": "python_function", "name": "model.py(3): forward", "pid": 1, "tid": 1, "ts": 2, "dur": 5},)"
      R"({"ph": "X", "cat": "gpu_user_annotation", "name": "fwd", "pid": 0, "tid": 7, "ts": 2, "dur": 5},)"
      R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": 3, "args":)"
      R"( {"Device Type": 1, "Device Id": 0, "Bytes": 8, "Total Allocated": 5000000000, "Total Reserved": 6000000000}})"));
  ASSERT_EQ(trace.scopes.size(), 2u);
  EXPECT_EQ(trace.scopes[0].kind, ScopeKind::module);
  EXPECT_EQ(trace.scopes[1].kind, ScopeKind::python);
  ASSERT_EQ(trace.gpu_annotations.size(), 1u);
  EXPECT_EQ(trace.devices.at(0).peak_allocated_bytes, 5'000'000'000);
  EXPECT_EQ(trace.devices.at(0).peak_reserved_bytes, 6'000'000'000);
}

TEST(Kineto, SniffsByContent) {
  const auto sniff = kKinetoFormat.sniff;
  EXPECT_TRUE(sniff("\xEF\xBB\xBF {\n\"traceEvents\": []}"));
  EXPECT_TRUE(sniff(R"([ {"name": "x", "ph": "X"} ])"));
  EXPECT_FALSE(sniff(""));
  EXPECT_FALSE(sniff(R"({"a": [1, 2, 3]})"));
  EXPECT_FALSE(sniff("[[1, 2], [3, 4]]"));
  EXPECT_FALSE(sniff("\x89PNG"));
}

TEST(Kineto, AnEmptyListIsAnEmptyTrace) {
  const Trace trace = read(trace_of(""));
  EXPECT_EQ(trace.event_count, 0u);
  EXPECT_FALSE(trace.truncated);
}

}  // namespace
}  // namespace pagoda
