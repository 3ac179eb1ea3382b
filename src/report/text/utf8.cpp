#include "report/text/utf8.h"

#include <array>
#include <cstdint>

namespace pagoda {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};

// East Asian Wide and Fullwidth, and the emoji blocks, as Unicode 15 has them (coarse: blocks, not
// characters).
constexpr std::array<Range, 18> kWide = {{{0x1100, 0x115F},
                                          {0x231A, 0x231B},
                                          {0x23E9, 0x23EC},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0x9FFF},
                                          {0xA000, 0xA4CF},
                                          {0xA960, 0xA97F},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFE30, 0xFE6F},
                                          {0xFF00, 0xFF60},
                                          {0xFFE0, 0xFFE6},
                                          {0x1F300, 0x1F64F},
                                          {0x1F680, 0x1F6FF},
                                          {0x1F900, 0x1FAFF},
                                          {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 6> kCombining = {{{0x0300, 0x036F},
                                              {0x1AB0, 0x1AFF},
                                              {0x1DC0, 0x1DFF},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F},
                                              {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 11> kHostile = {{{0x0000, 0x001F},
                                             {0x007F, 0x009F},
                                             {0x00AD, 0x00AD},
                                             {0x061C, 0x061C},
                                             {0x180E, 0x180E},
                                             {0x200B, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2060, 0x206F},
                                             {0xFEFF, 0xFEFF},
                                             {0xFFF0, 0xFFFB},
                                             {0xE0000, 0xE0FFF}}};

template <std::size_t N>
bool is_in(char32_t value, const std::array<Range, N>& ranges) {
  for (const Range& range : ranges) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

std::size_t width_of(char32_t value) {
  if (value < 0x300) return 1;
  if (is_in(value, kCombining)) return 0;
  return is_in(value, kWide) ? 2 : 1;
}

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const CodePoint broken = {kReplacement, 1, false};
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || at + length > text.size()) return broken;
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0u) != 0x80u) return broken;
    value = (value << 6) | (next & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return broken;
  return {value, length, true};
}

void append_utf8(char32_t value, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_hostile(char32_t value) { return is_in(value, kHostile); }

std::string printable(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool blank = point.value == '\t' || point.value == '\n' || point.value == '\r';
    append_utf8(blank ? U' ' : (is_hostile(point.value) ? kReplacement : point.value), safe);
    at += point.length;
  }
  return safe;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    width += width_of(point.value);
    at += point.length;
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::size_t width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint point = code_point_at(text, at);
    if (width + width_of(point.value) > columns - 1) break;
    width += width_of(point.value);
    at += point.length;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string pad_right(std::string text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width < columns) text.insert(0, columns - width, ' ');
  return text;
}

}  // namespace pagoda
