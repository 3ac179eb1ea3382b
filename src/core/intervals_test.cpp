#include "core/intervals.h"

#include <random>

#include <gtest/gtest.h>

namespace pagoda {
namespace {

TEST(Intervals, UnionMergesTouchingAndDropsEmpty) {
  EXPECT_EQ(union_of({{5, 7}, {1, 3}, {3, 4}, {9, 9}, {8, 2}}), (IntervalSet{{1, 4}, {5, 7}}));
  EXPECT_EQ(total_ns(union_of({{0, 10}, {2, 5}, {4, 12}})), 12);
  EXPECT_TRUE(union_of(std::vector<Interval>{}).empty());
}

// Truth by brute force: one bit a nanosecond over a small range.
std::vector<bool> bits(const std::vector<Interval>& set) {
  std::vector<bool> on(64, false);
  for (const Interval& i : set) {
    for (Nanos t = i.start_ns; t < i.end_ns; ++t) on[static_cast<std::size_t>(t)] = true;
  }
  return on;
}

TEST(Intervals, AlgebraEqualsBitsetsOnRandomSets) {
  std::mt19937 random(20261201);
  std::uniform_int_distribution<int> at(0, 63);
  for (int round = 0; round < 500; ++round) {
    std::vector<Interval> raw_a, raw_b;
    for (int i = 0; i < 6; ++i) {
      raw_a.push_back({at(random), at(random)});
      raw_b.push_back({at(random), at(random)});
    }
    const IntervalSet a = union_of(raw_a), b = union_of(raw_b);
    const auto bits_a = bits(raw_a), bits_b = bits(raw_b);
    std::vector<bool> either(64), both(64), only_a(64);
    for (std::size_t t = 0; t < 64; ++t) {
      either[t] = bits_a[t] || bits_b[t];
      both[t] = bits_a[t] && bits_b[t];
      only_a[t] = bits_a[t] && !bits_b[t];
    }
    EXPECT_EQ(bits(union_of(a, b)), either);
    EXPECT_EQ(bits(intersection_of(a, b)), both);
    EXPECT_EQ(bits(difference_of(a, b)), only_a);
  }
}

}  // namespace
}  // namespace pagoda
