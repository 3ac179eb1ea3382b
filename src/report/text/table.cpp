#include "report/text/table.h"

#include <algorithm>
#include <numeric>

#include "report/text/utf8.h"

namespace pagoda {
namespace {

constexpr std::size_t kBetween = 2;
constexpr std::size_t kNarrowest = 8;

}  // namespace

std::vector<std::size_t> Table::widths(std::size_t room) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  if (room == 0) return widths;
  const std::size_t gaps = kBetween * (columns_.size() - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > room) {
    // The widest flexible column gives way, one cell at a time: equal ones end up equal.
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].flexible && widths[i] > kNarrowest &&
          (widest == columns_.size() || widths[i] > widths[widest]))
        widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text.append(kBetween, ' ');
    const std::string cell = shorten(cells[i], widths[i]);
    text += columns_[i].align == Align::right ? pad_left(cell, widths[i]) : pad_right(cell, widths[i]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> Table::lines(std::size_t indent, std::size_t page_columns) const {
  const std::vector<std::size_t> columns = widths(page_columns > indent ? page_columns - indent : 0);
  const std::string margin(indent, ' ');
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::string> lines;
  const bool titled = std::any_of(titles.begin(), titles.end(), [](const auto& t) { return !t.empty(); });
  if (titled) lines.push_back(margin + line(titles, columns));
  for (const auto& row : rows_) lines.push_back(margin + line(row, columns));
  return lines;
}

}  // namespace pagoda
