#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/ncu/csv.h"
#include "readers/ncu/values.h"
#include "trace/trace.h"

namespace pagoda::ncu {

/// Where the columns of one page stand; pages differ between versions, so all are found by name.
struct Header {
  enum class Page { details, raw, summary };
  Page page = Page::details;
  std::vector<std::string> names;
  bool quoted = false;

  int column(std::string_view name) const;  ///< -1: the page has no such column
  /// Fields that a row must have to say anything: up to its value.
  std::size_t fields_needed() const;
  /// The header in this record, if it is one.
  static std::optional<Header> in(const Record& record);
};

/// Collects the rows of the tables of one report into Trace::counters.
class Tables {
 public:
  Tables(Trace& trace, NumberStyle style) : trace_(trace), style_(style) {}

  bool empty() const { return tables_ == 0; }
  void begin(Header header);
  void add(const Record& record);
  void finish();

 private:
  std::string_view cell(const Record& record, std::string_view column) const;
  KernelCounters& kernel_of(const Record& record);
  void note_device(std::string_view device, std::string_view cc, std::string_view name);
  void add_metric_row(const Record& record);
  void add_raw_row(const Record& record);
  void add_metric(KernelCounters& kernel, std::string_view name, std::string_view unit,
                  std::string_view value);

  Trace& trace_;
  NumberStyle style_;
  Header header_;
  std::vector<std::string> units_;  // of the raw page
  std::uint32_t tables_ = 0;
  std::map<std::string, std::uint32_t> kernel_rows_;
};

}  // namespace pagoda::ncu
