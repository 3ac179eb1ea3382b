#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace pagoda::nsys {

/// A read-only SQLite connection that can read the tables a profile needs and no other: an authorizer refuses
/// everything that is not on the list, so the tables that hold environment variables stay closed whatever
/// statement is prepared and whatever view or trigger a hostile file defines.
class Database {
 public:
  /// Opens the file immutable: no lock, no journal, nothing is ever written beside it. Throws Error.
  static Database open_file(const std::string& path, const std::string& shown_name);
  /// The same over bytes in memory, which must outlive the database.
  static Database open_memory(std::span<const unsigned char> bytes, const std::string& shown_name);

  bool has_table(std::string_view table) const;
  bool has_column(std::string_view table, std::string_view column) const;
  /// Whether `column` is the row id, so that a look-up by it costs O(log n).
  bool is_row_id(std::string_view table, std::string_view column) const;
  /// Names of all tables, including those that may not be read.
  const std::vector<std::string>& tables() const { return tables_; }

  /// Bytes of the file that SQLite has fetched so far: how far a scan has come.
  std::uint64_t bytes_read() const;
  std::string last_error() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct Column {
    bool row_id = false;
  };
  using Columns = std::map<std::string, Column, std::less<>>;

  explicit Database(sqlite3* handle) : handle_(handle) {}
  void prepare_for_hostile_content();
  void read_schema(const std::string& shown_name);
  void read_columns(const std::string& table);

  std::unique_ptr<sqlite3, Close> handle_;
  std::vector<std::string> tables_;
  std::map<std::string, Columns, std::less<>> columns_;
};

/// Walks the rows of one table. A column that the schema of this file lacks reads as NULL, and so does a
/// value of another type than asked for: an importer never has to know which version wrote the file.
class Rows {
 public:
  Rows(const Database& database, std::string_view table, std::initializer_list<std::string_view> columns,
       std::string_view where_equal = {});

  /// Restarts with `value` for the `where_equal` column.
  void bind(std::int64_t value);
  /// False at the end and on damage; `damage()` tells which.
  bool next();
  const std::string& damage() const { return damage_; }

  bool is_null(int column) const;
  std::optional<std::int64_t> integer(int column) const;
  /// Valid until the next call of `next`.
  std::optional<std::string_view> text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string damage_;
};

}  // namespace pagoda::nsys
