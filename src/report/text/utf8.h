#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pagoda {

/// One code point read from UTF-8 text.
struct CodePoint {
  char32_t value = 0;      ///< U+FFFD where the bytes are no UTF-8
  std::size_t length = 1;  ///< bytes it takes in the text
  bool valid = true;
};
/// Reads the code point at `at`, which must be inside `text`. Overlong forms and surrogates are not valid.
CodePoint code_point_at(std::string_view text, std::size_t at);

/// Appends the UTF-8 form of a code point.
void append_utf8(char32_t value, std::string& out);

/// True for what must not reach a terminal or a page as it is: control characters (ESC, BEL, C1, DEL), marks
/// that change the direction of text, zero-width marks and tags.
bool is_hostile(char32_t value);

/// Text safe to show: tabs and line ends become a blank, everything hostile or broken U+FFFD.
std::string printable(std::string_view text);

/// Cells the text takes on a terminal: wide characters (CJK, emoji) take 2, combining marks 0.
std::size_t display_width(std::string_view text);

/// At most `columns` cells; what was cut away is shown as one "…" at the end. Never cuts inside a character.
std::string shorten(std::string_view text, std::size_t columns);

/// Fills with blanks up to `columns` cells.
std::string pad_right(std::string text, std::size_t columns);
std::string pad_left(std::string text, std::size_t columns);

}  // namespace pagoda
