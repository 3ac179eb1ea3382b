#include "readers/ncu/ncu.h"

#include <algorithm>

#include "core/error.h"
#include "readers/ncu/table.h"

namespace pagoda {
namespace ncu {
namespace {

bool sniff(std::string_view head) {
  if (head.starts_with("==PROF==") || head.find("\n==PROF==") != std::string_view::npos) return true;
  for (std::string_view name : {"Kernel Name", "Function Name"}) {
    for (std::size_t at = 0; (at = head.find(name, at)) != std::string_view::npos; ++at) {
      const std::size_t line = head.rfind('\n', at) + 1;  // npos + 1 is 0: the first line
      const std::size_t line_end = std::min(head.find('\n', at), head.size());
      RecordReader reader(head.substr(line, line_end - line));
      const auto record = reader.next();
      if (record && Header::in(*record)) return true;
      at = line_end;
    }
  }
  return false;
}

std::string read_all(Content& content) {
  std::string text;
  std::size_t used = 0;
  while (true) {
    constexpr std::size_t kStepBytes = 1 << 20;
    text.resize(used + kStepBytes);
    const std::size_t count = content.read({text.data() + used, kStepBytes});
    used += count;
    if (count == 0) break;
  }
  text.resize(used);
  return text;
}

/// Style is a property of the whole report: one number that can only be read one way decides for all.
NumberStyle style_of_report(std::string_view text) {
  bool point = false;
  bool comma = false;
  std::optional<Header> header;
  RecordReader reader(text);
  while (const auto record = reader.next()) {
    if (auto found = Header::in(*record)) {
      header = std::move(found);
      continue;
    }
    if (!header || !record->whole) continue;
    for (std::size_t at = 0; at < std::min(record->fields.size(), header->names.size()); ++at) {
      const std::string& name = header->names[at];
      const bool value = header->page == Header::Page::raw ? name.find("__") != std::string::npos
                                                           : name == "Metric Value" || name == "Average" ||
                                                                 name == "Minimum" || name == "Maximum";
      if (!value || !looks_like_number(record->fields[at])) continue;
      point |= style_of(record->fields[at]) == NumberStyle::point_decimal;
      comma |= style_of(record->fields[at]) == NumberStyle::comma_decimal;
    }
  }
  if (point && comma) return NumberStyle::unknown;
  return comma ? NumberStyle::comma_decimal : NumberStyle::point_decimal;
}

/// "==PROF== Connected...", "==WARNING== ...", "==ERROR== ...".
bool note_message(Trace& trace, const Record& record) {
  if (!record.text.starts_with("==")) return false;
  if (record.text.starts_with("==ERROR=="))
    trace.diagnostics.add("ncu_error", record.byte_offset, record.text);
  if (record.text.starts_with("==WARNING==")) {
    trace.diagnostics.add("ncu_warning", record.byte_offset, record.text);
  }
  ++trace.other_categories["ncu_message"];
  return true;
}

bool is_row(const Record& record, const std::optional<Header>& header) {
  if (!header) return false;
  if (header->quoted) return record.text.starts_with('"');
  return record.fields.size() >= 3;
}

[[noreturn]] void throw_no_table(const Trace& trace, const std::string& name) {
  const auto error = trace.diagnostics.entries().find("ncu_error");
  const std::string reason = error == trace.diagnostics.entries().end() ? "" : ": " + error->second.example;
  throw Error("this Nsight Compute output holds no table of counters" + reason, {name, {}},
              "run `ncu --csv --page details ...` or `ncu --csv --page raw --import REPORT.ncu-rep`");
}

Trace read(Content& content, const ReadOptions& options) {
  const std::string text = read_all(content);
  Trace trace;
  trace.path = content.name();
  trace.format = "ncu";
  trace.content_bytes = text.size();
  trace.truncated = content.damaged();
  if (trace.truncated) trace.diagnostics.add("truncated", text.size());

  Tables tables(trace, style_of_report(text));
  std::optional<Header> header;
  RecordReader reader(text);
  while (const auto record = reader.next()) {
    if (note_message(trace, *record)) continue;
    if (auto found = Header::in(*record)) {
      tables.begin(*found);
      header = std::move(found);
    } else if (is_row(*record, header)) {
      tables.add(*record);
    } else if (header && record->text.find("\",\"") != std::string_view::npos) {
      // The program's own output ran into a row.
      trace.diagnostics.add("ragged_row", record->byte_offset, record->text);
    } else if (!record->text.empty()) {
      ++trace.other_categories["program_output"];
    }
  }
  if (tables.empty()) throw_no_table(trace, content.name());
  tables.finish();
  link(trace);
  if (options.progress) options.progress(text.size(), text.size());
  return trace;
}

}  // namespace
}  // namespace ncu

const Format kNcuFormat = {"ncu", ncu::sniff, ncu::read};

}  // namespace pagoda
