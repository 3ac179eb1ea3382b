#include "readers/kineto/numbers.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace pagoda::kineto {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal as digits and the power of ten of its last digit: 12.5e3 is 125 and 2.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  bool negative = false;
  bool overflow = false;
};

std::optional<Decimal> decimal_of(std::string_view text) {
  Decimal result;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) result.negative = text[at++] == '-';
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 10 - 1;
  bool any = false;
  bool after_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
    } else if (is_digit(c)) {
      any = true;
      if (result.digits > kMost) {
        if (!after_point) ++result.exponent;  // further digits are below any use
        continue;
      }
      result.digits = result.digits * 10 + static_cast<std::uint64_t>(c - '0');
      if (after_point) --result.exponent;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    if (error != std::errc() || exponent > 400 || exponent < -400) return std::nullopt;
    result.exponent += exponent;
    at = static_cast<std::size_t>(end - text.data());
  }
  if (at != text.size()) return std::nullopt;
  return result;
}

/// digits * 10^shift, rounded half up; nullopt beyond 63 bits.
std::optional<std::int64_t> scaled(Decimal decimal, int shift) {
  shift += decimal.exponent;
  std::uint64_t value = decimal.digits;
  for (; shift > 0 && value != 0; --shift) {
    if (value > std::numeric_limits<std::uint64_t>::max() / 10) return std::nullopt;
    value *= 10;
  }
  if (shift < 0) {
    for (; shift < -1 && value != 0; ++shift) value /= 10;
    if (shift == -1) value = value / 10 + (value % 10 >= 5 ? 1 : 0);
  }
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(value);
  return decimal.negative ? -magnitude : magnitude;
}

/// The value of eight characters at once, if all are digits: pairs, then fours, then all (little-endian
/// only).
bool eight_digits(const char* text, std::int64_t& value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  std::uint64_t chunk = 0;
  std::memcpy(&chunk, text, sizeof chunk);
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  if ((chunk & kHigh) != kZeros || ((chunk + 0x0606060606060606) & kHigh) != kZeros) return false;
  chunk -= kZeros;
  chunk = chunk * 10 + (chunk >> 8);
  constexpr std::uint64_t kMask = 0x000000FF000000FF;
  value = static_cast<std::int64_t>(
      ((chunk & kMask) * (100 + (1000000ull << 32)) + ((chunk >> 16 & kMask) * (1 + (10000ull << 32)))) >>
      32);
  return true;
}

/// "5224094465740.820": digits, perhaps a point and at most three digits. The form of nearly every time.
std::optional<Nanos> plain_micros(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  std::size_t at = 0;
  if (text.size() >= 8 && eight_digits(text.data(), value)) at = 8;
  for (; at < text.size() && is_digit(text[at]); ++at) value = value * 10 + (text[at] - '0');
  if (at == 0 || at > 15) return std::nullopt;
  if (at == text.size()) return value * 1000;
  const std::size_t places = text.size() - at - 1;
  if (text[at] != '.' || places > 3) return std::nullopt;
  for (++at; at < text.size(); ++at) {
    if (!is_digit(text[at])) return std::nullopt;
    value = value * 10 + (text[at] - '0');
  }
  constexpr std::array<std::int64_t, 4> kScale = {1000, 100, 10, 1};
  return value * kScale[places];
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)),
        put(0x80 | (code & 0x3F));
  }
}

std::optional<std::uint32_t> hex4(std::string_view text) {
  std::uint32_t code = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, code, 16);
  if (error != std::errc() || end != text.data() + 4) return std::nullopt;
  return code;
}

/// \uXXXX at text[at] == 'u', with its low surrogate where it has one. Returns the characters consumed.
std::size_t unescape_unicode(std::string_view text, std::size_t at, std::string& out) {
  const auto code = hex4(text.substr(at + 1));
  if (!code) {
    out += "\\u";
    return 1;
  }
  constexpr std::uint32_t kReplacement = 0xFFFD;
  if (*code >= 0xD800 && *code < 0xDC00 && text.substr(at + 5, 2) == "\\u") {
    const auto low = hex4(text.substr(at + 7));
    if (low && *low >= 0xDC00 && *low < 0xE000) {
      append_utf8(0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00), out);
      return 11;
    }
  }
  append_utf8(*code >= 0xD800 && *code < 0xE000 ? kReplacement : *code, out);
  return 5;
}

}  // namespace

std::optional<Nanos> nanos_of_micros(std::string_view text) {
  if (const auto plain = plain_micros(text)) return plain;
  const auto decimal = decimal_of(text);
  return decimal ? scaled(*decimal, 3) : std::nullopt;
}

std::optional<std::int64_t> integer_of(const Value& value) {
  if (value.kind != ValueKind::number && value.kind != ValueKind::string) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  if (error == std::errc() && end == value.text.data() + value.text.size()) return number;
  const auto decimal = decimal_of(value.text);
  return decimal ? scaled(*decimal, 0) : std::nullopt;
}

std::optional<std::uint64_t> id_of(const Value& value) {
  if (value.kind != ValueKind::number && value.kind != ValueKind::string) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  if (error == std::errc() && end == value.text.data() + value.text.size()) return number;
  return std::nullopt;
}

std::array<std::uint32_t, 3> triple_of(const Value& value) {
  std::array<std::uint32_t, 3> triple{};
  if (value.kind != ValueKind::array) return triple;
  const char* at = value.text.data();
  const char* const end = at + value.text.size();
  for (std::uint32_t& number : triple) {
    while (at < end && !is_digit(*at)) ++at;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) number = 0;
    at = next;
  }
  return triple;
}

void unescape(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out.push_back(text[at]);
      continue;
    }
    const char c = text[++at];
    switch (c) {
      case '"':
      case '\\':
      case '/': out.push_back(c); break;
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'n': out.push_back('\n'); break;
      case 'r': out.push_back('\r'); break;
      case 't': out.push_back('\t'); break;
      case 'u': at += unescape_unicode(text, at, out) - 1; break;
      default: out.push_back('\\'), out.push_back(c);
    }
  }
}

void compact(std::string_view json, std::string& out) {
  out.clear();
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted && c == '\\' && at + 1 < json.size()) {
      out.push_back(c);
      out.push_back(json[++at]);
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) out.push_back(c);
  }
}

}  // namespace pagoda::kineto
