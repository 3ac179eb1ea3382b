#include <limits>

#include <gtest/gtest.h>

#include "report/json/analysis_json.h"
#include "report/json/json_writer.h"
#include "report/testing/sample_analysis.h"

namespace pagoda {
namespace {

std::string one_value(const auto& value) {
  std::string out;
  JsonWriter json(out);
  json.open_array(JsonWriter::Layout::one_line);
  json.value(value);
  json.close();
  return out;
}

TEST(JsonWriter, TextIsEscapedAndAlwaysUtf8) {
  EXPECT_EQ(one_value("a\"b\\c"), "[\"a\\\"b\\\\c\"]\n");
  EXPECT_EQ(one_value("\x1b[2J\n\t\x07"), "[\"\\u001b[2J\\n\\t\\u0007\"]\n");
  EXPECT_EQ(one_value("\u202e\u009b"), "[\"\\u202e\\u009b\"]\n");
  EXPECT_EQ(one_value("\U000E0041"), "[\"\\udb40\\udc41\"]\n") << "a surrogate pair";
  EXPECT_EQ(one_value("\xFF内"), "[\"\uFFFD内\"]\n");
}

TEST(JsonWriter, NumbersThatJsonLacksAreNull) {
  EXPECT_EQ(one_value(std::numeric_limits<double>::quiet_NaN()), "[null]\n");
  EXPECT_EQ(one_value(-std::numeric_limits<double>::infinity()), "[null]\n");
  EXPECT_EQ(one_value(0.1), "[0.1]\n");
  EXPECT_EQ(one_value(std::int64_t{9'007'199'254'740'993}), "[9007199254740993]\n");
  EXPECT_EQ(one_value(std::numeric_limits<std::uint64_t>::max()), "[18446744073709551615]\n");
}

TEST(JsonWriter, Layouts) {
  std::string out;
  JsonWriter json(out);
  json.open_object();
  json.field("a", 1);
  json.open_array("none");
  json.close();
  json.open_object("line", JsonWriter::Layout::one_line);
  json.field_or_null("b", -1);
  json.field_or_null("c", 0.5);
  json.close();
  json.close();
  EXPECT_EQ(out, "{\n  \"a\": 1,\n  \"none\": [],\n  \"line\": {\"b\": null, \"c\": 0.5}\n}\n");
}

TEST(AnalysisJson, CarriesTheAccount) {
  const std::string text = analysis_json(sample_analysis());
  for (const char* part :
       {"\"schema\": \"pagoda.analysis/1\"", "\"steps\": 4", "\"window_ns\": 1000000", "\"busy_ns\": 500000",
        "\"counts\": {\"compute\": 10, \"communication\": 1, \"memcpy\": 0, \"memset\": 0}",
        "\"conservation\": {\"window_minus_buckets_ns\": 0, \"busy_minus_buckets_ns\": 0}",
        "\"attributed\": \"correlation\"", "\"bus_bytes_per_s\": null", "\"peak_allocated_bytes\": null",
        "\"kind\": \"negative_duration\", \"count\": 2, \"first_byte_offset\": 1234"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(AnalysisJson, AnEmptyAnalysisHasEveryList) {
  const std::string text = analysis_json({});
  EXPECT_NE(text.find("\"devices\": []"), std::string::npos);
  EXPECT_NE(text.find("\"steps\": null"), std::string::npos) << "unknown, not zero";
}

}  // namespace
}  // namespace pagoda
