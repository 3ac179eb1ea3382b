#include "core/handover.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace pagoda {
namespace {

TEST(Handover, KeepsOrderAndEnds) {
  Handover<int> numbers(2, [](const auto& give) {
    for (int i = 0; i < 100; ++i) give(i);
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(numbers.take(), i);
  EXPECT_EQ(numbers.take(), std::nullopt);
  EXPECT_EQ(numbers.take(), std::nullopt);
}

TEST(Handover, TheMakersExceptionComesAfterItsItems) {
  Handover<int> numbers(4, [](const auto& give) {
    give(1);
    throw std::runtime_error("broken");
  });
  EXPECT_EQ(numbers.take(), 1);
  EXPECT_THROW(numbers.take(), std::runtime_error);
  EXPECT_EQ(numbers.take(), std::nullopt);
}

TEST(Handover, ATakerThatLeavesStopsTheMaker) {
  bool stopped = false;
  {
    Handover<int> numbers(1, [&](const auto& give) {
      while (give(0)) {
      }
      stopped = true;
    });
    numbers.take();
  }
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace pagoda
