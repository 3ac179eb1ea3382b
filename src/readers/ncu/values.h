#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pagoda::ncu {

/// How a report writes numbers: Nsight Compute follows the locale of the machine it ran on.
enum class NumberStyle {
  unknown,        ///< "1,234" or "1.234": one number could be either
  point_decimal,  ///< 1,234.56
  comma_decimal   ///< 1.234,56
};

/// What one number shows about the style of its report.
NumberStyle style_of(std::string_view text);

/// The number in `text`, whose style is its own where that is certain and else `style`. Nothing for "n/a",
/// "nan", "inf", an empty field and words. "12 (3; 4; 5)", a sum with its instances, is 12.
std::optional<double> parse_number(std::string_view text, NumberStyle style);
bool looks_like_number(std::string_view text);

/// A unit as the report prints it in terms of a base unit: ns, byte, hz, byte/second, %, inst...
struct Unit {
  double factor = 1;
  std::string base;
};
Unit parse_unit(std::string_view text);

}  // namespace pagoda::ncu
