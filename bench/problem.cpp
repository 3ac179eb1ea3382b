#include "problem.h"

#include <bit>
#include <cmath>
#include <set>

namespace pagoda::bench {

namespace {
struct Format {
  int mantissa_bits;
  int least_exponent;
};
Format format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return {10, -14};
    case Dtype::bf16: return {7, -126};
    case Dtype::e4m3: return {3, -6};
    case Dtype::i8: return {0, 0};
    default: return {23, -126};
  }
}
double ulp(Dtype dtype, double value) {
  if (dtype == Dtype::i8) return 1;
  const Format f = format_of(dtype);
  const double magnitude = std::fabs(value);
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : f.least_exponent;
  return std::ldexp(1.0, std::max(exponent, f.least_exponent) - f.mantissa_bits);
}
}  // namespace

double half_ulp(Dtype dtype, double value) { return ulp(dtype, value) / 2; }

double stored_as(Dtype dtype, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = ulp(dtype, value);
  return std::nearbyint(value / unit) * unit;
}

double Problem::tolerance(int tensor, double expected, double row_scale) const {
  // A perfect rounding, and what fp32 sums and approximate functions may add relative to the row.
  return half_ulp(tensors[tensor].dtype, expected) * 1.02 + 6e-6 * row_scale + 1e-30;
}

std::map<std::string, Suite>& suites() {
  static std::map<std::string, Suite> all;
  return all;
}

std::vector<std::int64_t> test_lengths(std::int64_t largest) {
  std::set<std::int64_t> lengths;
  for (std::int64_t n = 1; n <= 40; ++n) lengths.insert(n);
  for (std::int64_t n = 41; n <= 1030; n += 37) lengths.insert(n);
  for (std::int64_t n = 48; n <= 1030; n += 104) lengths.insert(n);
  for (std::int64_t power = 64; power <= largest; power *= 2) {
    for (std::int64_t n : {power - 1, power, power + 1, power + 16}) {
      if (n <= largest) lengths.insert(n);
    }
  }
  for (std::int64_t n : {1000, 5120, 11008, 32000, 50257, 128256, 151936}) {
    if (n <= largest) lengths.insert(n);
  }
  return {lengths.begin(), lengths.end()};
}

}  // namespace pagoda::bench
