#include "readers/nsys/nsys.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "readers/nsys/import.h"
#include "readers/nsys/importer.h"

namespace pagoda {
namespace nsys {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (unsigned char byte : bytes) value = value << 8 | byte;
  return value;
}

/// What the header says the file should hold; 0 where it does not say (files of SQLite before 3.7).
std::uint64_t bytes_by_header(std::string_view head) {
  if (head.size() < 100 || head.substr(24, 4) != head.substr(92, 4)) return 0;
  const std::uint32_t page_bytes = big_endian(head.substr(16, 2));
  return std::uint64_t{page_bytes == 1 ? 65536 : page_bytes} * big_endian(head.substr(28, 4));
}

bool is_export(const Database& database) {
  if (database.has_table("META_DATA_EXPORT") || database.has_table("EXPORT_META_DATA")) return true;
  const auto& tables = database.tables();
  return std::any_of(tables.begin(), tables.end(),
                     [](const std::string& table) { return table.starts_with("CUPTI_ACTIVITY_KIND_"); });
}

Error not_an_export(const Database& database, const std::string& name) {
  const auto& tables = database.tables();
  const bool rocpd = std::any_of(tables.begin(), tables.end(),
                                 [](const std::string& table) { return table.starts_with("rocpd_"); });
  if (rocpd) {
    return Error("this is a rocprofiler database, which Pagoda does not read", {name, {}},
                 "profile with torch.profiler and export a Chrome trace");
  }
  std::string listed;
  for (std::size_t i = 0; i < std::min<std::size_t>(tables.size(), 3); ++i)
    listed += (i ? ", " : "") + tables[i];
  const std::string what = tables.empty() ? "it has no tables" : "its tables are " + listed;
  return Error(
      "this is an SQLite database but no Nsight Systems export: " + what + (tables.size() > 3 ? ", ..." : ""),
      {name, {}}, "make one with `nsys export --type sqlite REPORT.nsys-rep`");
}

}  // namespace

Trace import_trace(const Database& database, std::string_view head, std::uint64_t file_bytes,
                   const std::string& name, const ReadOptions& options) {
  if (!is_export(database)) throw not_an_export(database, name);
  Trace trace;
  trace.path = name;
  trace.format = "nsys";
  trace.content_bytes = file_bytes;
  if (file_bytes < bytes_by_header(head)) {
    trace.truncated = true;
    trace.diagnostics.add("truncated", file_bytes,
                          "the header promises " + std::to_string(bytes_by_header(head)) + " bytes");
  }
  Importer(database, trace, options, file_bytes).run();
  if (trace.truncated && trace.event_count == 0) {
    throw Error("this Nsight Systems export is damaged and nothing in it can be read", {name, {}},
                "export the report again with `nsys export --type sqlite`, or copy the file again");
  }
  link(trace);
  return trace;
}

namespace {

bool sniff(std::string_view head) { return head.starts_with(kMagic); }

Trace read(Content& content, const ReadOptions& options) {
  const std::string head(content.head());
  const std::string& path = content.file_path();
  std::error_code failed;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, failed);
  if (failed) throw Error("cannot be read: " + failed.message(), {content.name(), {}});
  const Database database = Database::open_file(path, content.name());
  Trace trace = import_trace(database, head, file_bytes, content.name(), options);
  if (content.damaged() && !trace.truncated) {
    trace.truncated = true;
    trace.diagnostics.add("truncated", file_bytes, "the compressed stream is damaged");
  }
  return trace;
}

}  // namespace
}  // namespace nsys

const Format kNsysFormat = {"nsys", nsys::sniff, nsys::read};

}  // namespace pagoda
