#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::ncu {

/// One record of a CSV text, with where it began.
struct Record {
  std::vector<std::string> fields;
  std::uint64_t byte_offset = 0;
  std::string_view text;  ///< as it stands in the file, without the line end
  bool whole = true;      ///< false: a quote was opened and never closed, or text followed a closing quote
};

/// Splits a text in which CSV records stand among other lines. A quoted field may hold line ends, but a
/// record that is still open where the next line looks like a record or a message of the profiler was cut off
/// there: a stray quote costs one line, not the rest of the file.
class RecordReader {
 public:
  /// A byte order mark, which spreadsheets put in front, is skipped.
  explicit RecordReader(std::string_view text) : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}
  std::optional<Record> next();

 private:
  std::size_t line_end(std::size_t from) const;

  std::string_view text_;
  std::size_t at_;
};

}  // namespace pagoda::ncu
