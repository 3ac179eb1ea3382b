#include <gtest/gtest.h>

#include "cli/account_parcel.h"
#include "cli/nearest.h"

namespace pagoda {
namespace {

TEST(Nearest, FindsSlipsAndNothingElse) {
  const std::vector<std::string> names = {"analyze", "plan", "diff"};
  EXPECT_EQ(nearest("analyse", names), "analyze");
  EXPECT_EQ(nearest("anlayze", names), "analyze");
  EXPECT_EQ(nearest("plam", names), "plan");
  EXPECT_EQ(nearest("trace.json", names), "");
  EXPECT_EQ(nearest("an", names), "analyze") << "a beginning";
  EXPECT_EQ(nearest("", names), "");
}

TEST(Parcel, AccountsAndErrorsSurviveTheWay) {
  Parcel parcel;
  TraceAccount account;
  account.file.path = "rank0.json";
  account.warnings = {"a", std::string("b\0c", 3)};
  parcel.items.push_back({3, account, {}});
  parcel.items.push_back(
      {1, {}, Error("is damaged", {"rank1.json", 77}, "read it again", ExitCode::our_bug)});
  const Parcel back = unpack_parcel(pack(parcel));
  ASSERT_EQ(back.items.size(), 2u);
  EXPECT_EQ(back.items[0].index, 3u);
  ASSERT_TRUE(back.items[0].account);
  EXPECT_EQ(serialize(*back.items[0].account), serialize(account));
  ASSERT_TRUE(back.items[1].error);
  EXPECT_STREQ(back.items[1].error->what(), "rank1.json: is damaged (byte 77)");
  EXPECT_EQ(back.items[1].error->hint(), "read it again");
  EXPECT_EQ(back.items[1].error->exit_code(), ExitCode::our_bug);
}

TEST(Parcel, DamagedBytesAreAnError) {
  Parcel parcel;
  parcel.items.push_back({0, TraceAccount{}, {}});
  const std::string bytes = pack(parcel);
  EXPECT_THROW(unpack_parcel(std::string_view(bytes).substr(0, bytes.size() - 1)), Error);
  EXPECT_THROW(unpack_parcel("xyz"), Error);
}

}  // namespace
}  // namespace pagoda
