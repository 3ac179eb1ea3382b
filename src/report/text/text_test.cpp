#include <limits>

#include <gtest/gtest.h>

#include "report/text/quantities.h"
#include "report/text/table.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

TEST(Quantities, DurationsHaveThreeFiguresAndAUnit) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1'000), "1.00 us");
  EXPECT_EQ(duration_text(12'345'678), "12.3 ms");
  EXPECT_EQ(duration_text(999'499), "999 us");
  EXPECT_EQ(duration_text(999'500), "1.00 ms") << "never 1000 us";
  EXPECT_EQ(duration_text(9'996), "10.0 us") << "never 10.00 us";
  EXPECT_EQ(duration_text(7'200'000'000'000), "7200 s");
  EXPECT_EQ(duration_text(-1'500), "-1.50 us");
}

TEST(Quantities, BytesAndRates) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1'500), "1.50 KB");
  EXPECT_EQ(rate_text(3.87e12), "3.87 TB/s");
  EXPECT_EQ(bytes_text(-1), "unknown");
  EXPECT_EQ(bytes_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(Quantities, PercentsDoNotRoundSomethingToNothingNorToAll) {
  EXPECT_EQ(percent_text(0, 10), "0 %");
  EXPECT_EQ(percent_text(1, 100'000), "<0.1 %");
  EXPECT_EQ(percent_text(4.24, 100), "4.2 %");
  EXPECT_EQ(percent_text(80, 100), "80 %");
  EXPECT_EQ(percent_text(99'999, 100'000), ">99.9 %");
  EXPECT_EQ(percent_text(10, 10), "100 %");
  EXPECT_EQ(percent_text(1, 0), "-");
}

TEST(Quantities, CountsAreGrouped) {
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(-1'234), "-1,234");
  EXPECT_EQ(count_text(-123), "-123");
  EXPECT_EQ(plural_text(1, "call", "calls"), "1 call");
}

TEST(Utf8, WideAndCombiningCharacters) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("内核"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("\U0001F680"), 2u);
}

TEST(Utf8, ShorteningNeverCutsACharacterNorGoesOver) {
  EXPECT_EQ(shorten("kernel", 6), "kernel");
  EXPECT_EQ(shorten("kernel", 5), "kern…");
  EXPECT_EQ(shorten("内核内核", 4), "内…") << "the second half of a wide character does not fit";
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Utf8, NothingHostileReachesTheTerminal) {
  EXPECT_EQ(printable("a\tb\r\nc"), "a b  c");
  EXPECT_EQ(printable("\x1b[2J\x07"), "\uFFFD[2J\uFFFD");
  EXPECT_EQ(printable("\u009b2J"), "\uFFFD2J") << "C1 control sequence introducer";
  EXPECT_EQ(printable("a\u202egnp.exe"), "a\uFFFDgnp.exe") << "right-to-left override";
  EXPECT_EQ(printable("a\u200bb"), "a\uFFFDb");
  EXPECT_EQ(printable("\xC3\x28"), "\uFFFD(") << "broken UTF-8";
  EXPECT_EQ(printable("\xC0\x9B"), "\uFFFD\uFFFD") << "overlong form of a control character";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(printable("caf\xC3\xA9 内"), "café 内");
}

TEST(Table, ColumnsAlignWithWideCharacters) {
  Table table({{"n", Align::right}, {"name"}, {"x", Align::right}});
  table.add({"1", "内核", "22"});
  table.add({"10", "abcd", "3"});
  const std::vector<std::string> expected = {" n  name   x", " 1  内核  22", "10  abcd   3"};
  EXPECT_EQ(table.lines(0, 80), expected);
}

TEST(Table, OnlyFlexibleColumnsAreShortened) {
  Table table({{""}, {"", Align::left, true}});
  table.add({"0123456789", "abcdefghijklmnopqrst"});
  EXPECT_EQ(table.lines(2, 26), std::vector<std::string>{"  0123456789  abcdefghijk…"});
  EXPECT_EQ(table.lines(2, 0), std::vector<std::string>{"  0123456789  abcdefghijklmnopqrst"});
}

}  // namespace
}  // namespace pagoda
