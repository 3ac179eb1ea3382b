#include "report/csv/csv.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.h"
#include "report/testing/sample_analysis.h"

namespace pagoda {
namespace {

TEST(Csv, FieldsAreQuotedWhereNeeded) {
  EXPECT_EQ(csv_field("aten::mm"), "aten::mm");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\", then"), "\"say \"\"hi\"\", then\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
}

TEST(Csv, NoFieldIsAFormula) {
  EXPECT_EQ(csv_field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+1"), "'+1");
  EXPECT_EQ(csv_field("-1,2"), "\"'-1,2\"");
  EXPECT_EQ(csv_field("a=b"), "a=b");
}

TEST(Csv, OperatorsAreOneLineEach) {
  const std::string text = analysis_csv(sample_analysis(), "operators");
  EXPECT_EQ(
      text,
      "name,shapes,dtypes,phase,attributed,time_ns,share_fraction,calls,gpu_events,module,annotation,python,"
      "top_kernel\r\n"
      "aten::mm,\"[1,4096] [4096,4096]\",,forward,correlation,460000,0.8214285714285714,10,10,,,,\r\n"
      "ncclDevKernel_AllReduce,,,unknown,launch_only,100000,0.17857142857142858,1,1,,,,\r\n");
}

TEST(Csv, EveryTableHasAsManyFieldsAsTitles) {
  Analysis analysis = sample_analysis();
  GraphRow& graph = analysis.graphs.emplace_back();
  graph.kernels.push_back({"kernel", 1, 1});
  analysis.operators.clear();  // their shapes hold commas
  for (const std::string_view table : csv_tables()) {
    const std::string text = analysis_csv(analysis, table);
    const std::size_t end = text.find("\r\n");
    ASSERT_NE(end, std::string::npos);
    const auto commas = [](std::string_view line) { return std::count(line.begin(), line.end(), ','); };
    const std::string_view rest = std::string_view(text).substr(end + 2);
    EXPECT_TRUE(table == "operators" || !rest.empty()) << table;
    if (!rest.empty()) {
      EXPECT_EQ(commas(text.substr(0, end)), commas(rest.substr(0, rest.find("\r\n")))) << text;
    }
  }
}

TEST(Csv, UnknownTableIsAnError) { EXPECT_THROW(analysis_csv({}, "nonsense"), Error); }

}  // namespace
}  // namespace pagoda
