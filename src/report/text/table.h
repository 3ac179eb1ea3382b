#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pagoda {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool flexible = false;  ///< shortened when the table is wider than the page
};

/// Text in aligned columns, two blanks between them. Cells must be printable() already.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  /// Lines without the line end, the titles first when any column has one. `page_columns` 0: as wide as it
  /// needs to be.
  std::vector<std::string> lines(std::size_t indent, std::size_t page_columns) const;

 private:
  std::vector<std::size_t> widths(std::size_t room) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pagoda
