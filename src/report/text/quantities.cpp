#include "report/text/quantities.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace pagoda {
namespace {

// Three significant figures; the caller steps to the next unit at 999.5, so "1000 us" cannot appear.
std::string three_figures(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

struct Scaled {
  double value;
  std::size_t unit;
};

Scaled scale(double value, std::size_t units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units) {
    value /= 1000;
    ++unit;
  }
  return {value, unit};
}

std::string scaled_bytes(double bytes, const char* suffix) {
  static constexpr std::array<const char*, 6> kUnits = {"B", "KB", "MB", "GB", "TB", "PB"};
  if (!(bytes >= 0) || std::isinf(bytes)) return "unknown";
  const Scaled scaled = scale(bytes, kUnits.size());
  const std::string number =
      scaled.unit == 0 ? fmt::format("{:.0f}", scaled.value) : three_figures(scaled.value);
  return number + " " + kUnits[scaled.unit] + suffix;
}

}  // namespace

std::string duration_text(Nanos time_ns) {
  static constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  const bool negative = time_ns < 0;
  const double magnitude = std::fabs(static_cast<double>(time_ns));
  const Scaled scaled = scale(magnitude, kUnits.size());
  const std::string number =
      scaled.unit == 0 ? fmt::format("{:.0f}", scaled.value) : three_figures(scaled.value);
  return (negative ? "-" : "") + number + " " + kUnits[scaled.unit];
}

std::string bytes_text(double bytes) { return scaled_bytes(bytes, ""); }

std::string rate_text(double bytes_per_s) { return scaled_bytes(bytes_per_s, "/s"); }

std::string percent_text(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double percent = 100 * part / whole;
  if (percent == 0) return "0 %";
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent < 9.95) return fmt::format("{:.1f} %", percent);
  // Something is left over: do not call it all.
  if (percent > 99.95 && percent < 100) return ">99.9 %";
  if (percent >= 99.5 && percent < 100) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string count_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > 3 + sign;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string plural_text(std::int64_t count, const char* one, const char* many) {
  return count_text(count) + " " + (count == 1 ? one : many);
}

}  // namespace pagoda
