#include "readers/nsys/database.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include <sqlite3.h>

#include "core/error.h"

namespace pagoda::nsys {
namespace {

// The tables that hold environment variables (TARGET_INFO_SYSTEM_ENV, META_DATA_CAPTURE) and program output
// (ProcessStreams) are absent on purpose.
constexpr std::array<std::string_view, 21> kReadableTables = {"StringIds",
                                                              "META_DATA_EXPORT",
                                                              "EXPORT_META_DATA",
                                                              "CUPTI_ACTIVITY_KIND_KERNEL",
                                                              "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                              "CUPTI_ACTIVITY_KIND_MEMSET",
                                                              "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                              "CUPTI_ACTIVITY_KIND_RUNTIME",
                                                              "CUPTI_ACTIVITY_KIND_DRIVER",
                                                              "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                                              "CUPTI_ACTIVITY_KIND_OVERHEAD",
                                                              "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                                              "NVTX_EVENTS",
                                                              "TARGET_INFO_GPU",
                                                              "TARGET_INFO_CUDA_DEVICE",
                                                              "PROCESSES",
                                                              "ThreadNames",
                                                              "ENUM_CUDA_MEMCPY_OPER",
                                                              "ENUM_CUDA_MEM_KIND",
                                                              "sqlite_master",
                                                              "sqlite_schema"};

bool is_readable(std::string_view table) {
  return std::find(kReadableTables.begin(), kReadableTables.end(), table) != kReadableTables.end();
}

int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  const bool allowed = action == SQLITE_SELECT || (action == SQLITE_READ && first && is_readable(first)) ||
                       (action == SQLITE_PRAGMA && first && std::strcmp(first, "table_info") == 0);
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

std::string quote_identifier(std::string_view identifier) {
  std::string text = "\"";
  for (char c : identifier) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

// In a URI filename '?', '#' and '%' have a meaning; everything unusual is escaped.
std::string uri_of(const std::string& path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file://";
  for (unsigned char c : std::filesystem::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-_.~", c) != nullptr;
    if (plain) {
      uri += static_cast<char>(c);
    } else {
      uri += {'%', kHex[c >> 4], kHex[c & 15]};
    }
  }
  return uri + "?mode=ro&immutable=1";
}

Error unreadable(const std::string& shown_name, const std::string& reason) {
  return Error("this SQLite database cannot be read: " + reason, {shown_name, {}},
               "export the report again with `nsys export --type sqlite`, or copy the file again");
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Rows::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database Database::open_file(const std::string& path, const std::string& shown_name) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int status = sqlite3_open_v2(uri_of(path).c_str(), &handle, flags, nullptr);
  Database database(handle);  // owns the handle, also after a failed open
  if (status != SQLITE_OK) throw unreadable(shown_name, database.last_error());
  database.prepare_for_hostile_content();
  database.read_schema(shown_name);
  return database;
}

Database Database::open_memory(std::span<const unsigned char> bytes, const std::string& shown_name) {
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (opened != SQLITE_OK) throw unreadable(shown_name, database.last_error());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  const int status = sqlite3_deserialize(handle, "main", const_cast<unsigned char*>(bytes.data()), size, size,
                                         SQLITE_DESERIALIZE_READONLY);
  if (status != SQLITE_OK) throw unreadable(shown_name, database.last_error());
  database.prepare_for_hostile_content();
  database.read_schema(shown_name);
  return database;
}

void Database::prepare_for_hostile_content() {
  sqlite3* handle = handle_.get();
  // SQLite refuses a file shorter than its header says unless the schema is writable; with this, the whole
  // tables of a truncated export can still be read. Nothing is written: the connection is read-only.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_extended_result_codes(handle, 0);
  sqlite3_set_authorizer(handle, authorize, nullptr);
}

void Database::read_schema(const std::string& shown_name) {
  columns_["sqlite_master"] = {{"name", {}}, {"type", {}}};
  Rows rows(*this, "sqlite_master", {"type", "name"});
  while (rows.next()) {
    if (rows.text(0) == "table" && rows.text(1)) tables_.emplace_back(*rows.text(1));
  }
  columns_.clear();
  if (tables_.empty() && !rows.damage().empty()) throw unreadable(shown_name, rows.damage());
  std::sort(tables_.begin(), tables_.end());
  for (const std::string& table : tables_) {
    if (is_readable(table)) read_columns(table);
  }
}

void Database::read_columns(const std::string& table) {
  sqlite3_stmt* statement = nullptr;
  const std::string sql = "PRAGMA table_info(" + quote_identifier(table) + ")";
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
  Columns& columns = columns_[table];
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(statement, 1));
    const auto* type = reinterpret_cast<const char*>(sqlite3_column_text(statement, 2));
    if (!name) continue;
    const bool integer = type && sqlite3_stricmp(type, "INTEGER") == 0;
    columns[name].row_id = integer && sqlite3_column_int(statement, 5) == 1;
  }
  sqlite3_finalize(statement);
}

bool Database::has_table(std::string_view table) const {
  return std::binary_search(tables_.begin(), tables_.end(), table);
}

bool Database::has_column(std::string_view table, std::string_view column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() && found->second.contains(column);
}

bool Database::is_row_id(std::string_view table, std::string_view column) const {
  return has_column(table, column) && columns_.find(table)->second.find(column)->second.row_id;
}

std::uint64_t Database::bytes_read() const {
  int pages = 0;
  int highest = 0;
  sqlite3_db_status(handle_.get(), SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 0);
  constexpr std::uint64_t kUsualPageBytes = 4096;  // what every exporter so far writes
  return static_cast<std::uint64_t>(std::max(pages, 0)) * kUsualPageBytes;
}

std::string Database::last_error() const { return handle_ ? sqlite3_errmsg(handle_.get()) : "out of memory"; }

Rows::Rows(const Database& database, std::string_view table, std::initializer_list<std::string_view> columns,
           std::string_view where_equal)
    : database_(database) {
  std::string sql = "SELECT ";
  bool any = false;
  for (std::string_view column : columns) {
    const bool present = database.has_column(table, column);
    any |= present;
    if (sql.back() != ' ') sql += ',';
    sql += present ? quote_identifier(column) : "NULL";
  }
  if (!any) return;  // no such table, or none of its columns: no rows
  sql += " FROM " + quote_identifier(table);
  if (!where_equal.empty()) sql += " WHERE " + quote_identifier(where_equal) + " = ?1";
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    damage_ = database.last_error();
  }
  statement_.reset(statement);
}

void Rows::bind(std::int64_t value) {
  if (!statement_) return;
  damage_.clear();
  sqlite3_reset(statement_.get());
  sqlite3_bind_int64(statement_.get(), 1, value);
}

bool Rows::next() {
  if (!statement_ || !damage_.empty()) return false;
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) damage_ = database_.last_error();
  return false;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::optional<std::int64_t> Rows::integer(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_.get(), column);
}

std::optional<std::string_view> Rows::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return std::nullopt;
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (!bytes) return std::nullopt;
  return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace pagoda::nsys
