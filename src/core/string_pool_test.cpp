#include "core/string_pool.h"

#include <string>

#include <gtest/gtest.h>

namespace pagoda {
namespace {

TEST(StringPool, EqualTextGivesEqualIdsAndViewsSurviveGrowth) {
  StringPool pool;
  EXPECT_EQ(pool.intern(""), 0u);
  const StringId first = pool.intern("aten::mm");
  const std::string_view kept = pool.view(first);
  for (int i = 0; i < 50'000; ++i) pool.intern("kernel_" + std::to_string(i));
  EXPECT_EQ(pool.intern("aten::mm"), first);
  EXPECT_EQ(kept, "aten::mm");
  EXPECT_EQ(kept.data(), pool.view(first).data());
  EXPECT_EQ(pool.size(), 50'002u);
}

TEST(StringPool, KeepsTextLongerThanABlockAndEmbeddedZeros) {
  StringPool pool;
  const std::string long_name(1'000'000, 'k');
  EXPECT_EQ(pool.view(pool.intern(long_name)), long_name);
  using namespace std::string_view_literals;
  EXPECT_NE(pool.intern("a\0b"sv), pool.intern("a"sv));
}

}  // namespace
}  // namespace pagoda
