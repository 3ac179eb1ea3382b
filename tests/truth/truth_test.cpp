// Every profile that has reference figures, read and accounted for whole: equal to the nanosecond.
// The profiles and figures lie outside the repository ($PAGODA_SHARED, default ../shared); absent ones skip.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "analysis/analyze.h"
#include "readers/reader.h"
#include "readers/testing/files.h"

namespace pagoda {
namespace {

namespace fs = std::filesystem;
using simdjson::dom::element;

std::vector<std::string> truth_files() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(test::shared_folder() / "traces/truth", failed)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<fs::path> profile(std::string_view file) {
  for (const char* folder : {"h200", "public", "public/nsys"}) {
    const fs::path path = test::shared_folder() / "traces" / folder / file;
    if (fs::exists(path)) return path;
  }
  return std::nullopt;
}

/// A time of the reference: "span_us": decimal microseconds of integer nanoseconds, or "span_ns".
std::optional<Nanos> time_of(const element& device, const std::string& key) {
  std::int64_t nanos = 0;
  if (device[key + "_ns"].get_int64().get(nanos) == simdjson::SUCCESS) return nanos;
  double micros = 0;
  if (device[key + "_us"].get_double().get(micros) != simdjson::SUCCESS) return std::nullopt;
  return std::llround(micros * 1000);
}

struct Group {
  std::int64_t n = 0;
  Nanos ns = 0;
};
std::optional<Group> group_of(const element& device, const char* key) {
  element group;
  if (device[key].get(group) != simdjson::SUCCESS) return std::nullopt;
  double micros = group["us"].get_double();
  return Group{group["n"].get_int64(), std::llround(micros * 1000)};
}

std::int64_t count_of(const element& device, const char* kind) {
  for (const char* counts : {"count", "n"}) {
    std::int64_t value = 0;
    if (device[counts][kind].get_int64().get(value) == simdjson::SUCCESS) return value;
  }
  return 0;
}

Nanos sum_of(const element& device, const char* kind) {
  double micros = 0;
  if (device["sum_us"][kind].get_double().get(micros) != simdjson::SUCCESS) return 0;
  return std::llround(micros * 1000);
}

/// The reference for this profile read times since 1970 as 64-bit floats, which step by 250 ns there. Its
/// text says 1712195495505582.988 for the first start and 1712195495985358.440 + 253.727 for the last end.
constexpr std::string_view kReadThroughFloats = "v100_ns_resolution";
constexpr Nanos kExactWindow_ns = 480'029'179;

void expect_equal(const DeviceAccount& ours, const element& truth, bool exact_times) {
  EXPECT_EQ(ours.window_ns, exact_times ? kExactWindow_ns : time_of(truth, "span"));
  EXPECT_EQ(ours.busy_ns, time_of(truth, "busy"));
  EXPECT_EQ(ours.idle_ns, exact_times ? kExactWindow_ns - ours.busy_ns : time_of(truth, "idle"));
  EXPECT_EQ(ours.compute_ns, time_of(truth, "compute_union"));
  EXPECT_EQ(ours.communication_ns, time_of(truth, "comm_union"));
  EXPECT_EQ(ours.exposed_communication_ns, time_of(truth, "exposed_comm"));
  if (const auto overlap = time_of(truth, "overlap_comm_compute")) {
    EXPECT_EQ(ours.overlapped_communication_ns, *overlap);
  }
  EXPECT_EQ(ours.exposed_copy_ns, time_of(truth, "exposed_mem"));
  EXPECT_EQ(ours.counts.compute, count_of(truth, "compute"));
  EXPECT_EQ(ours.counts.communication, count_of(truth, "comm"));
  EXPECT_EQ(ours.counts.memcpy, count_of(truth, "memcpy"));
  EXPECT_EQ(ours.counts.memset, count_of(truth, "memset"));
  element sums;
  if (truth["sum_us"].get(sums) == simdjson::SUCCESS) {
    EXPECT_EQ(ours.kernel_sum_ns.compute, sum_of(truth, "compute"));
    EXPECT_EQ(ours.kernel_sum_ns.communication, sum_of(truth, "comm"));
    EXPECT_EQ(ours.kernel_sum_ns.memcpy, sum_of(truth, "memcpy"));
    EXPECT_EQ(ours.kernel_sum_ns.memset, sum_of(truth, "memset"));
  }
  if (const auto orphans = group_of(truth, "no_runtime_launch")) {
    EXPECT_EQ(ours.without_launch_count, orphans->n);
    EXPECT_EQ(ours.without_launch_ns, orphans->ns);
  }
  if (const auto graph = group_of(truth, "launched_by_graph")) {
    EXPECT_EQ(ours.graph_count, graph->n);
    EXPECT_EQ(ours.graph_ns, graph->ns);
  }
  std::int64_t number = 0;
  if (truth["streams"].get_int64().get(number) == simdjson::SUCCESS) {
    EXPECT_EQ(static_cast<std::int64_t>(ours.streams.size()), number);
  }
  if (truth["same_stream_overlaps"].get_int64().get(number) == simdjson::SUCCESS) {
    std::int64_t overlaps = 0;
    Nanos worst_ns = 0;
    for (const StreamAccount& stream : ours.streams) {
      overlaps += stream.overlaps;
      worst_ns = std::max(worst_ns, stream.worst_overlap_ns);
    }
    EXPECT_EQ(overlaps, number);
    EXPECT_EQ(worst_ns, time_of(truth, "worst_same_stream_overlap"));
  }
  EXPECT_EQ(ours.window_minus_buckets_ns(), 0);
  EXPECT_EQ(ours.busy_minus_buckets_ns(), 0);
}

class Truth : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Truth);

TEST_P(Truth, EveryFigureIsEqualToTheNanosecond) {
  const std::string json = (test::shared_folder() / "traces/truth" / (GetParam() + ".json")).string();
  simdjson::dom::parser parser;
  const element truth = parser.load(json);
  const auto path = profile(truth["file"].get_string());
  if (!path) GTEST_SKIP() << "the profile is not here";
  const Trace trace = read_trace(find_inputs({path->string()}).at(0));
  EXPECT_FALSE(trace.truncated);
  std::int64_t number = 0;
  if (truth["events"].get_int64().get(number) == simdjson::SUCCESS) {
    EXPECT_EQ(trace.event_count, static_cast<std::uint64_t>(number));
  }
  if (truth["json_bytes"].get_int64().get(number) == simdjson::SUCCESS) {
    EXPECT_EQ(trace.content_bytes, static_cast<std::uint64_t>(number));
  }

  const TraceAccount account = analyze_trace(trace);
  simdjson::dom::object devices;
  ASSERT_EQ(truth["per_device"].get_object().get(devices), simdjson::SUCCESS);
  std::size_t with_work = 0;
  for (const auto field : devices) {
    SCOPED_TRACE("device " + std::string(field.key));
    const auto ours =
        std::find_if(account.devices.begin(), account.devices.end(),
                     [&](const DeviceAccount& row) { return std::to_string(row.device) == field.key; });
    ASSERT_NE(ours, account.devices.end());
    expect_equal(*ours, field.value, GetParam() == kReadThroughFloats);
    ++with_work;
  }
  EXPECT_EQ(account.devices.size(), with_work);
}

INSTANTIATE_TEST_SUITE_P(Profiles, Truth, ::testing::ValuesIn(truth_files()), [](const auto& row) {
  std::string name = row.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(TruthFolder, IsHereOrThisRunProvesLess) {
  if (truth_files().empty()) GTEST_SKIP() << "no reference figures at " << test::shared_folder();
  EXPECT_GE(truth_files().size(), 25u);
}

}  // namespace
}  // namespace pagoda
