#include "report/json/json_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "report/text/utf8.h"

namespace pagoda {

void JsonWriter::open_object(std::string_view name, Layout layout) {
  key(name);
  open_object(layout);
}

void JsonWriter::open_array(std::string_view name, Layout layout) {
  key(name);
  open_array(layout);
}

void JsonWriter::open(char opening, char closing, Layout layout) {
  separate();
  out_ += opening;
  const bool inside_a_line = !levels_.empty() && levels_.back().one_line;
  levels_.push_back({closing, inside_a_line || layout == Layout::one_line});
}

void JsonWriter::close() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line) new_line(levels_.size());
  out_ += level.closing;
  if (levels_.empty()) out_ += '\n';
}

void JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
}

void JsonWriter::value(bool truth) {
  separate();
  out_ += truth ? "true" : "false";
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  out_ += fmt::format("{}", number);  // the shortest text that reads back as the same number
}

void JsonWriter::null() {
  separate();
  out_ += "null";
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.one_line ? ", " : ",";
  level.empty = false;
  if (!level.one_line) new_line(levels_.size());
}

void JsonWriter::new_line(std::size_t depth) {
  out_ += '\n';
  out_.append(2 * depth, ' ');
}

void JsonWriter::quote(std::string_view text) {
  out_ += '"';
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.length;
    const char32_t c = point.value;
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += static_cast<char>(c);
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (is_hostile(c) && c > 0xFFFF) {
      const auto rest = static_cast<std::uint32_t>(c) - 0x10000;
      out_ += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    } else if (is_hostile(c)) {
      out_ += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      append_utf8(c, out_);
    }
  }
  out_ += '"';
}

}  // namespace pagoda
