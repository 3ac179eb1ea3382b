#include "readers/ncu/ncu.h"

#include <cstring>

#include <gtest/gtest.h>

#include "core/error.h"
#include "readers/ncu/values.h"
#include "readers/testing/files.h"

namespace pagoda {
namespace {

constexpr const char* kDetails =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\","
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Description\"\n";

std::string row(const std::string& id, const std::string& name, const std::string& unit,
                const std::string& value) {
  return "\"" + id +
         "\",\"77\",\"gemm<a, \"\"b\"\">(int)\",\"(128, 1, 1)\",\"(9, 32, 1)\",\"0\",\"9.0\",\"Section\",\"" +
         name + "\",\"" + unit + "\",\"" + value + "\",\n";
}

class Ncu : public testing::Test {
 protected:
  Trace read(const std::string& text) {
    const std::string path = folder_.file("counters.csv");
    std::ofstream(path, std::ios::binary) << text;
    test::FileContent content(path);
    EXPECT_TRUE(kNcuFormat.sniff(content.head()));
    return kNcuFormat.read(content, {});
  }
  test::TemporaryFolder folder_;
};

TEST_F(Ncu, ReadsTheDetailsPage) {
  const Trace trace =
      read(kDetails + row("0", "Duration", "us", "406.24") + row("0", "DRAM Throughput", "%", "0.74") +
           row("1", "Duration", "ms", "2") + row("0", "Registers Per Thread", "register/thread", "168"));
  EXPECT_EQ(trace.format, "ncu");
  ASSERT_EQ(trace.counters.size(), 2u);
  const KernelCounters& first = trace.counters[0];
  EXPECT_EQ(trace.text(first.name), "gemm<a, \"b\">(int)");
  EXPECT_EQ(first.details.grid, (std::array<std::uint32_t, 3>{9, 32, 1}));
  EXPECT_EQ(first.details.block, (std::array<std::uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(first.details.registers_per_thread, 168u);
  EXPECT_EQ(first.device_cc, "9.0");
  EXPECT_DOUBLE_EQ(first.metrics.at("Duration"), 406240);
  EXPECT_DOUBLE_EQ(first.metrics.at("DRAM Throughput"), 0.74);
  EXPECT_DOUBLE_EQ(trace.counters[1].metrics.at("Duration"), 2e6);
  EXPECT_EQ(trace.counters[1].order, 1u);
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].compute_major, 9);
  EXPECT_TRUE(trace.diagnostics.empty());
}

TEST_F(Ncu, ReadsTheRawPageWithItsUnits) {
  const Trace trace = read(
      "==PROF== Connected to process 1\r\n"
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"device__attribute_display_name\","
      "\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"launch__grid_dim_x\",\"launch__grid_dim_y\","
      "\"launch__grid_dim_z\",\"smsp__inst.sum\"\r\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"\",\"\",\"\",\"inst\"\r\n"
      "\"0\",\"1\",\"f\",\"0\",\"9.0\",\"NVIDIA H200\",\"1,234.5\",\"10\",\"8\",\"4\",\"1\",\"n/a\"\r\n"
      "\"1\",\"1\",\"f\",\"0\",\"9.0\",\"NVIDIA H200\",\"2\",\"nan\",\"8\",\"4\",\"1\",\"7 (3; 4)\"\r\n");
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("dram__bytes_read.sum"), 1234.5e6);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("gpu__time_duration.sum"), 10000);
  EXPECT_EQ(trace.counters[0].details.grid, (std::array<std::uint32_t, 3>{8, 4, 1}));
  EXPECT_FALSE(trace.counters[0].metrics.contains("smsp__inst.sum")) << "n/a is missing, not zero";
  EXPECT_FALSE(trace.counters[1].metrics.contains("gpu__time_duration.sum"));
  EXPECT_DOUBLE_EQ(trace.counters[1].metrics.at("smsp__inst.sum"), 7);
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].name, "NVIDIA H200");
  EXPECT_TRUE(trace.diagnostics.empty());
}

TEST_F(Ncu, ReadsTheSummaryPerKernel) {
  const std::string header =
      "\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"Device\",\"CC\",\"Invocations\",\"Section Name\","
      "\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\",\"Average\"\n";
  const Trace trace =
      read(header +
           "\"1\",\"f\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"12\",\"S\",\"Duration\",\"ns\","
           "\"10\",\"30\",\"20\"\n"
           "\"1\",\"f\",\"(1, 1, 1)\",\"(3, 1, 1)\",\"0\",\"9.0\",\"1\",\"S\",\"Duration\",\"ns\","
           "\"5\",\"5\",\"5\"\n");
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Invocations"), 12);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Duration"), 20);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Duration (min)"), 10);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Duration (max)"), 30);
}

TEST_F(Ncu, FindsRowsAmongWhatTheProgramPrinted) {
  const Trace trace =
      read(std::string("hello, world\n==PROF== Profiling \"gemm\"\n") + kDetails + row("0", "A", "", "1") +
           "loss 3.5\n==WARNING== Launching may be slow\n\"a stray quote\n" + row("0", "B", "", "2") +
           "step 7 " + row("0", "C", "", "3") + "\"0\",\"77\",\"cut\"\n" + row("0", "D", "", "4"));
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].metrics, (std::map<std::string, double>{{"A", 1}, {"B", 2}, {"D", 4}}));
  EXPECT_EQ(trace.diagnostics.count("ragged_row"), 3u) << "the stray quote, the run-in row and the cut one";
  EXPECT_EQ(trace.diagnostics.count("ncu_warning"), 1u);
  EXPECT_EQ(trace.other_categories.at("ncu_message"), 2u);
  EXPECT_EQ(trace.other_categories.at("program_output"), 2u);
}

TEST_F(Ncu, RuleTextsMayHoldCommasQuotesAndLineEnds) {
  const std::string rule =
      "\"0\",\"77\",\"gemm<a, \"\"b\"\">(int)\",\"(128, 1, 1)\",\"(9, 32, "
      "1)\",\"0\",\"9.0\",\"S\",\"\",\"\",\"\","
      "\"Rule\",\"first, \"\"line\"\"\nsecond line\"\n";
  const Trace trace = read(kDetails + row("0", "A", "", "1") + rule + row("0", "B", "", "2"));
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].metrics, (std::map<std::string, double>{{"A", 1}, {"B", 2}}));
  EXPECT_TRUE(trace.diagnostics.empty());
}

TEST_F(Ncu, DecimalCommasCountWhereTheReportShowsThem) {
  const Trace german = read(kDetails + row("0", "A", "", "1.234") + row("0", "B", "%", "0,74") +
                            row("0", "C", "", "1.234.567,5"));
  EXPECT_EQ(german.counters[0].metrics,
            (std::map<std::string, double>{{"A", 1234}, {"B", 0.74}, {"C", 1234567.5}}));
  const Trace english = read(kDetails + row("0", "A", "", "1,234") + row("0", "B", "%", "0.74"));
  EXPECT_EQ(english.counters[0].metrics, (std::map<std::string, double>{{"A", 1234}, {"B", 0.74}}));
  const Trace mixed =
      read(kDetails + row("0", "A", "", "1,234") + row("0", "B", "", "0.74") + row("0", "C", "", "0,7"));
  EXPECT_EQ(mixed.counters[0].metrics, (std::map<std::string, double>{{"B", 0.74}, {"C", 0.7}}));
  EXPECT_EQ(mixed.diagnostics.count("ambiguous_number"), 1u);
}

TEST_F(Ncu, OneNameWithTwoMeanings) {
  const Trace trace =
      read(kDetails + row("0", "Memory Throughput", "%", "21") +
           row("0", "Memory Throughput", "Gbyte/s", "2") + row("0", "X", "", "1") + row("0", "X", "", "2"));
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Memory Throughput"), 21);
  EXPECT_DOUBLE_EQ(trace.counters[0].metrics.at("Memory Throughput [byte/second]"), 2e9);
  EXPECT_EQ(trace.diagnostics.count("conflicting_metric"), 1u);
}

TEST_F(Ncu, SeveralReportsInOneFileAreSeveralLaunches) {
  const std::string one = kDetails + row("0", "A", "", "1");
  EXPECT_EQ(read(one + one).counters.size(), 2u);
}

TEST_F(Ncu, AByteOrderMarkAndUnquotedFieldsOfASpreadsheet) {
  const Trace trace = read(
      "\xEF\xBB\xBFID,Process ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,1,f,A,ns,2.5\nplain "
      "words\n");
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].metrics.at("A"), 2.5);
  EXPECT_EQ(trace.counters[0].details, KernelDetails{});
}

TEST_F(Ncu, DeviceByName) {
  std::string text = kDetails + row("0", "A", "", "1");
  text.replace(text.find("\"0\",\"9.0\""), 3, "\"NVIDIA B200\"");
  EXPECT_EQ(read(text).devices.at(0).name, "NVIDIA B200");
}

TEST_F(Ncu, WithoutATableSaysWhy) {
  try {
    read("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - no permission\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("ERR_NVGPUCTRPERM"), std::string::npos);
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(NcuSniff, LeavesOtherTextAlone) {
  for (const char* text : {"", "a,b,c\n1,2,3\n", "{\"traceEvents\": [{\"name\": \"Kernel Name\"}]}",
                           "Kernel Name", "{\"name\": \"==PROF==\"}"}) {
    EXPECT_FALSE(kNcuFormat.sniff(text)) << text;
  }
}

TEST(NcuValues, UnitsInTermsOfTheBase) {
  const auto check = [](const char* text, double factor, const char* base) {
    const ncu::Unit unit = ncu::parse_unit(text);
    EXPECT_DOUBLE_EQ(unit.factor, factor) << text;
    EXPECT_EQ(unit.base, base) << text;
  };
  check("ns", 1, "ns");
  check("usecond", 1e3, "ns");
  check("ms", 1e6, "ns");
  check("s", 1e9, "ns");
  check("Kbyte", 1e3, "byte");
  check("Kibyte", 1024, "byte");
  check("Gbyte/second", 1e9, "byte/second");
  check("byte/ns", 1e9, "byte/second");
  check("Kbyte/block", 1e3, "byte/block");
  check("hz", 1, "hz");
  check("Ghz", 1e9, "hz");
  check("MHz", 1e6, "hz");
  check("cycle/nsecond", 1e9, "hz");
  check("Minst", 1e6, "inst");
  check("inst/cycle", 1, "inst/cycle");
  check("register/thread", 1, "register/thread");
  check("%", 1, "%");
  check("", 1, "");
}

TEST(NcuValues, Numbers) {
  using enum ncu::NumberStyle;
  EXPECT_EQ(ncu::parse_number("1,234,567.25", unknown), 1234567.25);
  EXPECT_EQ(ncu::parse_number("-3", unknown), -3);
  EXPECT_EQ(ncu::parse_number("1.5e+03", unknown), 1500);
  EXPECT_EQ(ncu::parse_number("12 345,5", unknown), 12345.5);
  for (const char* text :
       {"", "-", "n/a", "nan", "inf", "all", "1,2,3", "1e999", "1-2", ".", "CachePreferNone"}) {
    EXPECT_EQ(ncu::parse_number(text, point_decimal), std::nullopt) << text;
  }
}

TEST(NcuPublic, B200LogWithProfilerLines) {
  const auto path = test::shared_folder() / "traces/public/ncu/b200_cublaslt_fp8_details_with_prof_lines.log";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  test::FileContent content(path.string());
  ASSERT_TRUE(kNcuFormat.sniff(content.head()));
  const Trace trace = kNcuFormat.read(content, {});
  ASSERT_EQ(trace.counters.size(), 1u);
  const KernelCounters& kernel = trace.counters[0];
  EXPECT_EQ(kernel.details.grid, (std::array<std::uint32_t, 3>{9, 32, 1}));
  EXPECT_EQ(kernel.details.registers_per_thread, 168u);
  EXPECT_EQ(kernel.details.shared_memory_bytes, 205696u);
  EXPECT_EQ(kernel.device_cc, "10.0");
  EXPECT_DOUBLE_EQ(kernel.metrics.at("Duration"), 406240);
  EXPECT_DOUBLE_EQ(kernel.metrics.at("DRAM Frequency"), 3995313115.40);
  EXPECT_DOUBLE_EQ(kernel.metrics.at("Achieved Occupancy"), 15.53);
  EXPECT_EQ(kernel.metrics.size(), 47u);
  EXPECT_EQ(trace.devices.at(0).compute_major, 10);
  EXPECT_TRUE(trace.diagnostics.empty());
  EXPECT_EQ(trace.other_categories.at("ncu_message"), 2u);
  EXPECT_EQ(trace.other_categories.at("program_output"), 1u);
}

}  // namespace
}  // namespace pagoda
