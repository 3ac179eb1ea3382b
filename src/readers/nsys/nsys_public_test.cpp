// Figures of real exports against reference figures that another program computed.
#include <map>

#include <gtest/gtest.h>

#include "core/intervals.h"
#include "readers/nsys/nsys.h"
#include "readers/testing/files.h"

namespace pagoda {
namespace {

struct Figures {
  int compute = 0, communication = 0, memcpy = 0, memset = 0;
  Nanos span_ns = 0, busy_ns = 0, compute_ns = 0, communication_ns = 0, exposed_communication_ns = 0,
        exposed_copy_ns = 0;
  bool operator==(const Figures&) const = default;
};

Figures figures_of(const Trace& trace, std::uint32_t device) {
  Figures figures;
  std::vector<Interval> all, compute, communication;
  Nanos first = INT64_MAX;
  Nanos last = INT64_MIN;
  for (const GpuEvent& event : trace.gpu_events) {
    if (event.device != device) continue;
    const Interval interval{event.start_ns, event.end_ns()};
    all.push_back(interval);
    first = std::min(first, interval.start_ns);
    last = std::max(last, interval.end_ns);
    if (event.kind == GpuEventKind::memcpy) ++figures.memcpy;
    if (event.kind == GpuEventKind::memset) ++figures.memset;
    if (event.kind != GpuEventKind::kernel) continue;
    const bool nccl = trace.text(event.name).find("nccl") != std::string_view::npos;
    ++(nccl ? figures.communication : figures.compute);
    (nccl ? communication : compute).push_back(interval);
  }
  const IntervalSet busy = union_of(all);
  const IntervalSet computing = union_of(compute);
  const IntervalSet communicating = union_of(communication);
  const IntervalSet kernels = union_of(computing, communicating);
  figures.span_ns = last - first;
  figures.busy_ns = total_ns(busy);
  figures.compute_ns = total_ns(computing);
  figures.communication_ns = total_ns(communicating);
  figures.exposed_communication_ns = total_ns(difference_of(kernels, computing));
  figures.exposed_copy_ns = total_ns(busy) - total_ns(kernels);
  return figures;
}

/// The integer after "key": in the stretch of JSON that starts at `from`.
long long number_after(const std::string& json, const std::string& key, std::size_t from = 0) {
  const std::size_t at = json.find("\"" + key + "\":", from);
  EXPECT_NE(at, std::string::npos) << key;
  return at == std::string::npos ? -1 : std::stoll(json.substr(at + key.size() + 3));
}

Figures expected_figures(const std::string& json, std::int64_t device) {
  const std::size_t from = json.find("\"" + std::to_string(device) + "\": {", json.find("\"per_device\""));
  EXPECT_NE(from, std::string::npos) << "device " << device;
  if (from == std::string::npos) return {};
  const auto count = [&](const char* key) { return static_cast<int>(number_after(json, key, from)); };
  return {count("compute"),
          count("comm"),
          count("memcpy"),
          count("memset"),
          number_after(json, "span_ns", from),
          number_after(json, "busy_ns", from),
          number_after(json, "compute_union_ns", from),
          number_after(json, "comm_union_ns", from),
          number_after(json, "exposed_comm_ns", from),
          number_after(json, "exposed_mem_ns", from)};
}

class NsysPublic : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto traces = test::shared_folder() / "traces";
    const auto profile = traces / "public/nsys" / (std::string(GetParam()) + ".sqlite");
    if (!std::filesystem::exists(profile)) GTEST_SKIP() << profile << " is not here";
    std::ifstream file(traces / "truth" / ("nsys_" + std::string(GetParam()) + ".json"));
    truth_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(truth_.empty());
    test::FileContent content(profile.string());
    ASSERT_TRUE(kNsysFormat.sniff(content.head()));
    trace_ = kNsysFormat.read(content, {});
  }
  std::string truth_;
  Trace trace_;
};

TEST_P(NsysPublic, FiguresEqualTheReferenceToTheNanosecond) {
  EXPECT_FALSE(trace_.truncated);
  std::map<std::uint32_t, int> events;
  for (const GpuEvent& event : trace_.gpu_events) ++events[event.device];
  for (const auto& [device, count] : events) {
    const Figures got = figures_of(trace_, device);
    const Figures want = expected_figures(truth_, trace_.devices[device].id);
    EXPECT_EQ(got, want) << "busy " << got.busy_ns << " wanted " << want.busy_ns;
  }
  std::size_t devices_in_truth = 0;
  for (std::size_t at = 0; (at = truth_.find("\"busy_ns\"", at)) != std::string::npos; ++at)
    ++devices_in_truth;
  EXPECT_EQ(events.size(), devices_in_truth);
}

TEST_P(NsysPublic, KernelsJoinLaunchesOfTheirOwnProcessOnly) {
  if (truth_.find("\"has_kernel_table\": false") != std::string::npos) {
    EXPECT_EQ(trace_.diagnostics.count("no_kernel_table"), 1u);
    EXPECT_TRUE(trace_.gpu_events.empty());
    EXPECT_FALSE(trace_.launches.empty());
    return;
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> calls;
  for (const Launch& call : trace_.launches) ++calls[{call.process, call.correlation}];
  int linked = 0;
  int joined_rows = 0;
  int kernels = 0;
  for (const GpuEvent& event : trace_.gpu_events) {
    if (event.kind != GpuEventKind::kernel) continue;
    ++kernels;
    const auto found = calls.find({event.process, event.correlation});
    joined_rows += found == calls.end() ? 0 : found->second;
    if (event.launch == kNone) {
      EXPECT_EQ(found, calls.end());
      continue;
    }
    ++linked;
    EXPECT_EQ(trace_.launches[event.launch].process, event.process);
    EXPECT_EQ(trace_.launches[event.launch].correlation, event.correlation);
  }
  EXPECT_EQ(kernels, number_after(truth_, "kernels"));
  EXPECT_EQ(joined_rows, number_after(truth_, "join_on_pid_and_correlationId_rows"));
  EXPECT_LE(linked, joined_rows);
  EXPECT_GT(linked, 0);
}

TEST_P(NsysPublic, GpusAreDescribedWhereTheFileDescribesThem) {
  EXPECT_EQ(trace_.metadata.count("nsys_version"), 1u);
  if (truth_.find("\"has_TARGET_INFO_GPU\": false") != std::string::npos) {
    for (const Device& device : trace_.devices) EXPECT_EQ(device.name, "");
    return;
  }
  ASSERT_EQ(trace_.devices.size(), 1u);
  const Device& device = trace_.devices[0];
  EXPECT_NE(truth_.find('"' + device.name + '"'), std::string::npos) << device.name;
  EXPECT_EQ(static_cast<long long>(device.memory_bandwidth_bytes_per_s),
            number_after(truth_, "memoryBandwidth"));
  EXPECT_EQ(device.sm_count, number_after(truth_, "smCount"));
  EXPECT_EQ(device.compute_major, number_after(truth_, "computeMajor"));
  EXPECT_EQ(static_cast<long long>(device.l2_bytes), number_after(truth_, "l2CacheSize"));
}

INSTANTIATE_TEST_SUITE_P(Files, NsysPublic,
                         testing::Values("nsysai_h100_2gpu_1s", "nsysai_mfu_2gpu_before", "nsysai_mock",
                                         "rtx5060ti_no_kernel_table"));

}  // namespace
}  // namespace pagoda
