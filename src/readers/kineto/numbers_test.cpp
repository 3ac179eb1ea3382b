#include "readers/kineto/numbers.h"

#include <random>

#include <gtest/gtest.h>

namespace pagoda::kineto {
namespace {

TEST(Numbers, MicrosecondsToNanosecondsAgreeWithIntegers) {
  std::mt19937_64 random(20261201);
  for (int i = 0; i < 200'000; ++i) {
    const auto nanos = static_cast<Nanos>(random() >> (4 + random() % 50));
    std::string fraction = std::to_string(nanos % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    const std::string text = std::to_string(nanos / 1000) + "." + fraction;
    ASSERT_EQ(nanos_of_micros(text), nanos) << text;
    ASSERT_EQ(nanos_of_micros("-" + text), -nanos) << text;
  }
}

TEST(Numbers, EveryFormOfADecimal) {
  const auto is = [](std::string_view text, Nanos nanos) { EXPECT_EQ(nanos_of_micros(text), nanos) << text; };
  is("0", 0);
  is("12345678", 12'345'678'000);
  is("123456789.5", 123'456'789'500);
  is("1.0004", 1'000);
  is("1.0005", 1'001);
  is("1e3", 1'000'000);
  is("1.5E-2", 15);
  is("0.000001", 0);
  is("9223372036854775.807", 9'223'372'036'854'775'807);
  for (std::string_view bad :
       {"", "-", ".", "abc", "1.2.3", "12345678x", "1234567/", "1e999", "9223372036854775.808", "NaN"})
    EXPECT_EQ(nanos_of_micros(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace pagoda::kineto
