#include "report/terminal/page.h"

#include "report/text/utf8.h"

namespace pagoda {

std::string Page::paint(std::string_view text, std::string_view code) const {
  if (!colour_ || text.empty() || code.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

void Page::title(std::string_view text, std::string_view remark) {
  blank();
  std::string rest(remark);
  if (columns_ > 0) {
    const std::size_t used = display_width(text) + 2;
    rest = shorten(remark, used < columns_ ? columns_ - used : 0);
  }
  line(bold(text) + (rest.empty() ? "" : "  " + dim(rest)));
}

void Page::table(const Table& table, bool dim_titles) {
  bool first = true;
  for (const std::string& text : table.lines(2, columns_)) {
    line(first && dim_titles ? dim(text) : text);
    first = false;
  }
}

void Page::sentence(std::string_view text, std::size_t indent, std::string_view colour_code) {
  std::string now(indent, ' ');
  std::size_t width = indent;
  bool has_word = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(at, end - at);
    const std::size_t needed = display_width(word) + (has_word ? 1 : 0);
    if (has_word && columns_ > 0 && width + needed > columns_) {
      line(paint(now, colour_code));
      now = std::string(indent, ' ');
      width = indent;
      has_word = false;
    }
    if (has_word) now += ' ';
    const std::size_t room = columns_ > width ? columns_ - width : 1;
    now += columns_ > 0 ? shorten(word, room) : std::string(word);
    width = display_width(now);
    has_word = true;
    at = end + 1;
  }
  line(paint(now, colour_code));
}

}  // namespace pagoda
