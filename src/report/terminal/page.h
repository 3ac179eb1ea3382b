#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/text/table.h"

namespace pagoda {

inline constexpr std::size_t kPageColumns = 100;

/// Lines of text with, or without, colour. Colour is added to whole lines and finished cells only, so that it
/// never disturbs a width.
class Page {
 public:
  Page(bool colour, std::size_t columns) : colour_(colour), columns_(columns) {}

  std::string bold(std::string_view text) const { return paint(text, "1"); }
  std::string dim(std::string_view text) const { return paint(text, "2"); }
  std::string warn(std::string_view text) const { return paint(text, "33"); }
  std::string bad(std::string_view text) const { return paint(text, "1;31"); }
  std::string paint(std::string_view text, std::string_view code) const;

  std::size_t columns() const { return columns_; }  ///< 0: no limit
  void line(std::string_view text) { (text_ += text) += '\n'; }
  void blank() { text_ += '\n'; }
  /// A section's title, with a remark in dim letters behind it.
  void title(std::string_view text, std::string_view remark = {});
  void table(const Table& table, bool dim_titles = true);
  /// A sentence, broken between words where the page ends.
  void sentence(std::string_view text, std::size_t indent, std::string_view colour_code = {});
  std::string take() { return std::move(text_); }

 private:
  bool colour_;
  std::size_t columns_;
  std::string text_;
};

}  // namespace pagoda
