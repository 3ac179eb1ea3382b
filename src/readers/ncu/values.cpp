#include "readers/ncu/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace pagoda::ncu {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Without blanks (also the no-break ones that some locales group with), apostrophes and listed instances.
std::string bare(std::string_view text) {
  std::string number(text.substr(0, text.find(" (")));
  for (std::string_view group : {" ", "'", "\u00A0", "\u202F"}) {
    for (std::size_t at = 0; (at = number.find(group, at)) != std::string::npos;)
      number.erase(at, group.size());
  }
  return number;
}

/// The separator that stands alone and last tells nothing only when exactly three digits follow and one to
/// three, the first not 0, precede: "1,234".
bool could_group(std::string_view before, std::string_view after) {
  if (before.starts_with('-')) before.remove_prefix(1);
  return after.size() == 3 && !before.empty() && before.size() <= 3 && before != "0";
}

NumberStyle style_of_bare(std::string_view number) {
  const std::size_t exponent = std::min(number.find_first_of("eE"), number.size());
  number = number.substr(0, exponent);
  const auto points = std::count(number.begin(), number.end(), '.');
  const auto commas = std::count(number.begin(), number.end(), ',');
  if (points + commas == 0) return NumberStyle::unknown;
  if (points > 0 && commas > 0) {
    return number.rfind('.') > number.rfind(',') ? NumberStyle::point_decimal : NumberStyle::comma_decimal;
  }
  if (commas > 1) return NumberStyle::point_decimal;
  if (points > 1) return NumberStyle::comma_decimal;
  const std::size_t at = number.find_first_of(".,");
  if (could_group(number.substr(0, at), number.substr(at + 1))) return NumberStyle::unknown;
  return points == 1 ? NumberStyle::point_decimal : NumberStyle::comma_decimal;
}

/// Group separators must cut the whole part into threes, or it is no number at all ("1,2,3").
bool groups_are_whole(std::string_view whole, char group) {
  if (whole.find(group) == std::string_view::npos) return true;
  std::size_t run = 0;
  bool first = true;
  for (std::size_t at = whole.size(); at-- > 0;) {
    if (whole[at] == group) {
      if (run != 3) return false;
      run = 0;
      first = false;
    } else {
      ++run;
    }
  }
  return !first && run >= 1 && run <= 3;
}

struct Scale {
  std::string_view prefix;
  double factor;
};
constexpr std::array<Scale, 8> kScales = {{{"Ki", 1024.},
                                           {"Mi", 1048576.},
                                           {"Gi", 1073741824.},
                                           {"Ti", 1099511627776.},
                                           {"K", 1e3},
                                           {"M", 1e6},
                                           {"G", 1e9},
                                           {"T", 1e12}}};

/// Nanoseconds of a unit of time; 0 for anything else.
double nanoseconds_in(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 13> kTimes = {{{"ns", 1.},
                                                                           {"nsecond", 1.},
                                                                           {"nanosecond", 1.},
                                                                           {"us", 1e3},
                                                                           {"usecond", 1e3},
                                                                           {"microsecond", 1e3},
                                                                           {"ms", 1e6},
                                                                           {"msecond", 1e6},
                                                                           {"millisecond", 1e6},
                                                                           {"s", 1e9},
                                                                           {"sec", 1e9},
                                                                           {"second", 1e9},
                                                                           {"seconds", 1e9}}};
  for (const auto& [name, factor] : kTimes) {
    if (unit == name) return factor;
  }
  return 0;
}

Unit parse_amount(std::string_view text) {
  if (const double ns = nanoseconds_in(text); ns > 0) return {ns, "ns"};
  constexpr std::array<std::string_view, 12> kNouns = {
      "byte", "hz", "inst", "cycle", "sector", "request", "thread", "warp", "block", "flop", "op", "bit"};
  for (const Scale& scale : kScales) {
    if (!text.starts_with(scale.prefix)) continue;
    std::string noun(text.substr(scale.prefix.size()));
    if (!noun.empty() && noun.front() == 'H') noun.front() = 'h';
    for (std::string_view known : kNouns) {
      if (noun == known || noun == std::string(known) + "s") return {scale.factor, std::string(known)};
    }
  }
  if (text == "Hz") return {1, "hz"};
  if (text == "bytes") return {1, "byte"};
  return {1, std::string(text)};
}

}  // namespace

NumberStyle style_of(std::string_view text) { return style_of_bare(bare(text)); }

bool looks_like_number(std::string_view text) {
  const std::string number = bare(text);
  const std::string_view digits = std::string_view(number).substr(number.starts_with('-') ? 1 : 0);
  return !digits.empty() && is_digit(digits[0]) &&
         digits.find_first_not_of("0123456789.,eE+-") == std::string_view::npos;
}

std::optional<double> parse_number(std::string_view text, NumberStyle style) {
  if (!looks_like_number(text)) return std::nullopt;
  std::string number = bare(text);
  const NumberStyle own = style_of_bare(number);
  if (own != NumberStyle::unknown) style = own;
  const char decimal = style == NumberStyle::comma_decimal ? ',' : '.';
  const char group = decimal == '.' ? ',' : '.';
  const std::size_t whole_end = std::min(number.find(decimal), number.size());
  const std::size_t sign = number.starts_with('-') ? 1 : 0;
  if (!groups_are_whole(std::string_view(number).substr(sign, whole_end - sign), group)) return std::nullopt;
  number.erase(std::remove(number.begin(), number.end(), group), number.end());
  std::replace(number.begin(), number.end(), ',', '.');
  double value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != number.data() + number.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

Unit parse_unit(std::string_view text) {
  const std::size_t slash = text.find('/');
  Unit unit = parse_amount(text.substr(0, slash));
  if (slash == std::string_view::npos) return unit;
  const std::string_view per = text.substr(slash + 1);
  const double ns = nanoseconds_in(per);
  if (ns > 0) {
    unit.factor *= 1e9 / ns;
    if (unit.base == "cycle") {
      unit.base = "hz";
    } else {
      unit.base.append("/second");
    }
  } else {
    unit.base.append("/").append(per);
  }
  return unit;
}

}  // namespace pagoda::ncu
