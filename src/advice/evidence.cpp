#include "advice/evidence.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <simdjson.h>
#include <sqlite3.h>

#include "core/error.h"

namespace pagoda {
namespace embedded {
extern const std::string_view evidence_jsonl;
}

namespace {

/// The schema is documented in docs/evidence.md; user_version tells its version.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS evidence (
  operator TEXT NOT NULL, tier TEXT NOT NULL, implementation TEXT NOT NULL, direction TEXT NOT NULL, dtype TEXT NOT NULL,
  shape TEXT NOT NULL, p10_us REAL, median_us REAL NOT NULL, p90_us REAL, bytes REAL NOT NULL, flops REAL,
  ceiling_gb_per_s REAL NOT NULL, ceiling_fraction REAL, host_us REAL, max_error REAL, device TEXT NOT NULL, driver TEXT,
  cuda TEXT, commit_id TEXT, date TEXT, method TEXT,
  PRIMARY KEY (operator, tier, implementation, direction, dtype, shape, device, date, commit_id));
PRAGMA user_version = 1;
)sql";
constexpr int kColumns = 21;
constexpr const char* kSelect =
    "SELECT operator, tier, implementation, direction, dtype, shape, p10_us, median_us, p90_us, bytes, "
    "flops, ceiling_gb_per_s,"
    " ceiling_fraction, host_us, max_error, device, driver, cuda, commit_id, date, method FROM evidence";

class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) {
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
      throw Error(std::string("the evidence store can't be read: ") + sqlite3_errmsg(database));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int at, std::string_view text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int at, double number) { sqlite3_bind_double(statement_, at, number); }
  bool step() { return sqlite3_step(statement_) == SQLITE_ROW; }
  bool done() { return sqlite3_step(statement_) == SQLITE_DONE; }
  void reset() { sqlite3_reset(statement_); }

  EvidenceRow row() const {
    const auto text = [&](int at) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, at));
      return std::string(bytes ? bytes : "");
    };
    const auto number = [&](int at) { return sqlite3_column_double(statement_, at); };
    return {text(0),    text(1),   text(2),   text(3),    text(4),    text(5),    number(6),
            number(7),  number(8), number(9), number(10), number(11), number(12), number(13),
            number(14), text(15),  text(16),  text(17),   text(18),   text(19),   text(20)};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

std::string text_of(const simdjson::dom::element& object, const char* key) {
  std::string_view text;
  return object[key].get_string().get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

/// Row length: 4096 of "16384x4096" and of "[2,2048,4096] [4096]" up to its first bracket. 0: none.
std::int64_t last_number(std::string_view shape) {
  shape = shape.substr(0, shape.find(']'));
  std::int64_t number = 0;
  std::size_t at = shape.size();
  while (at > 0 && shape[at - 1] >= '0' && shape[at - 1] <= '9') --at;
  std::from_chars(shape.data() + at, shape.data() + shape.size(), number);
  return number;
}

double number_of(const simdjson::dom::element& object, const char* key, double otherwise) {
  double number = 0;
  return object[key].get_double().get(number) == simdjson::SUCCESS ? number : otherwise;
}

EvidenceRow row_of(const simdjson::dom::element& object) {
  EvidenceRow row;
  row.operator_name = text_of(object, "op");
  row.tier = text_of(object, "tier");
  row.implementation = text_of(object, "implementation");
  row.direction = text_of(object, "direction");
  row.dtype = text_of(object, "dtype");
  row.shape = text_of(object, "shape");
  row.p10_us = number_of(object, "p10_us", -1);
  row.median_us = number_of(object, "median_us", -1);
  row.p90_us = number_of(object, "p90_us", -1);
  row.bytes = number_of(object, "bytes", -1);
  row.flops = number_of(object, "flops", -1);
  row.ceiling_gb_per_s = number_of(object, "ceiling_gb_per_s", -1);
  row.ceiling_fraction = number_of(object, "fraction", -1);
  row.host_us = number_of(object, "host_us", -1);
  row.max_error = number_of(object, "max_error", -1);
  row.device = text_of(object, "device");
  row.driver = text_of(object, "driver");
  row.cuda = text_of(object, "cuda");
  row.commit = text_of(object, "commit");
  row.date = text_of(object, "date");
  row.method = text_of(object, "method");
  return row;
}

bool is_whole(const EvidenceRow& row) {
  return !row.operator_name.empty() && !row.tier.empty() && !row.device.empty() && row.median_us > 0 &&
         row.bytes > 0 && row.ceiling_gb_per_s > 0;
}

}  // namespace

double EvidenceRow::efficiency(double matrix_flops_per_s) const {
  constexpr double kShortestKernelUs = static_cast<double>(kShortestKernelNs) / 1000;
  const double math_us = matrix_flops_per_s > 0 ? std::max(flops, 0.0) / matrix_flops_per_s * 1e6 : 0;
  const double floor_us = std::max({bytes / (ceiling_gb_per_s * 1e9) * 1e6, math_us, kShortestKernelUs});
  return std::min(floor_us / median_us, 1.0);
}

void EvidenceStore::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

void EvidenceStore::run(const char* sql) const {
  char* message = nullptr;
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, &message) == SQLITE_OK) return;
  const std::string why = message ? message : "unknown";
  sqlite3_free(message);
  throw Error("the evidence store refuses: " + why);
}

EvidenceStore EvidenceStore::open(const std::string& path, bool create) {
  sqlite3* database = nullptr;
  const int flags = create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int status = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  EvidenceStore store(database);
  if (status != SQLITE_OK)
    throw Error(std::string("cannot be opened: ") + sqlite3_errstr(status), {path, {}});
  try {
    if (create) store.run(kSchema);
    store.rows();
  } catch (const Error& error) {
    throw Error(std::string("this is no evidence store: ") + error.what(), {path, {}},
                "make one with `pagoda evidence --import ROWS.jsonl --db FILE`");
  }
  return store;
}

const EvidenceStore& EvidenceStore::built_in() {
  static const EvidenceStore store = [] {
    EvidenceStore memory = open(":memory:", true);
    memory.import_json_lines(embedded::evidence_jsonl, "evidence.jsonl");
    return memory;
  }();
  return store;
}

std::size_t EvidenceStore::import_json_lines(std::string_view text, const std::string& path) {
  simdjson::dom::parser parser;
  run("BEGIN");
  std::string places = "?";
  for (int i = 1; i < kColumns; ++i) places += ",?";
  std::size_t added = 0;
  try {
    Statement insert(database_.get(), "INSERT OR REPLACE INTO evidence VALUES (" + places + ")");
    std::size_t line_number = 0;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      ++line_number;
      if (line.find_first_not_of(" \r\t") == std::string_view::npos) continue;
      simdjson::dom::element object;
      const auto wrong = [&](const std::string& why) {
        return Error("line " + std::to_string(line_number) + ": " + why, {path, {}},
                     "expected the JSON lines of `pagoda-gpu bench --save`");
      };
      if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) throw wrong("no JSON");
      if (text_of(object, "kind") != "op") continue;
      const EvidenceRow row = row_of(object);
      if (!is_whole(row)) throw wrong("a row without operator, tier, device, time, bytes or ceiling");
      const std::array<std::string_view, 6> keys = {row.operator_name, row.tier,  row.implementation,
                                                    row.direction,     row.dtype, row.shape};
      const std::array<double, 9> numbers = {
          row.p10_us,           row.median_us,        row.p90_us,  row.bytes,    row.flops,
          row.ceiling_gb_per_s, row.ceiling_fraction, row.host_us, row.max_error};
      const std::array<std::string_view, 6> about = {row.device, row.driver, row.cuda,
                                                     row.commit, row.date,   row.method};
      int at = 0;
      for (std::string_view value : keys) insert.bind(++at, value);
      for (double value : numbers) insert.bind(++at, value);
      for (std::string_view value : about) insert.bind(++at, value);
      if (!insert.done()) throw wrong(sqlite3_errmsg(database_.get()));
      insert.reset();
      ++added;
    }
  } catch (...) {
    run("ROLLBACK");
    throw;
  }
  run("COMMIT");
  return added;
}

std::vector<EvidenceRow> EvidenceStore::rows() const {
  Statement all(database_.get(), std::string(kSelect) +
                                     " ORDER BY operator, direction, bytes, shape, dtype, tier, "
                                     "implementation, device, date, commit_id");
  std::vector<EvidenceRow> rows;
  while (all.step()) rows.push_back(all.row());
  return rows;
}

std::optional<EvidenceRow> EvidenceStore::nearest(std::string_view operator_name, std::string_view tier,
                                                  std::string_view direction, std::string_view device,
                                                  double bytes, std::int64_t columns) const {
  Statement find(
      database_.get(),
      std::string(kSelect) +
          " WHERE operator = ? AND tier = ? AND direction = ? AND device = ? ORDER BY median_us, shape");
  find.bind(1, operator_name);
  find.bind(2, tier);
  find.bind(3, direction);
  find.bind(4, device);
  std::optional<EvidenceRow> best;
  double best_distance = 0;
  while (find.step()) {
    const EvidenceRow row = find.row();
    double distance = std::abs(std::log(row.bytes / std::max(bytes, 1.0)));
    const std::int64_t row_columns = last_number(row.shape);
    if (columns > 0 && row_columns > 0) {
      // How well a row fits a block decides more than how many there are.
      distance += 2 * std::abs(std::log(static_cast<double>(row_columns) / static_cast<double>(columns)));
    }
    if (best && distance >= best_distance - 1e-9) continue;
    best = row;
    best_distance = distance;
  }
  return best;
}

namespace {

/// What the FLOP of a row are held against: the same matrix ceiling as the operator's floor.
double matrix_ceiling(const Explanation& explanation, const EvidenceRow& row) {
  const auto type = math_type_of(row.dtype);
  return type && explanation.gpu ? explanation.gpu->attainable_flops_per_s(*type, true) : 0;
}

}  // namespace

Policy with_evidence(const Policy& policy, const EvidenceStore& store, const Explanation& explanation,
                     std::string_view device, MeasuredEfficiencies& used) {
  Policy measured = policy;
  struct Sum {
    double floor_ns = 0;
    double time_ns = 0;  // floor over efficiency
    EvidenceRow largest;
    double largest_floor_ns = -1;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  std::map<std::pair<std::string, std::string>, bool> incomplete;
  for (const OperatorGroup& group : explanation.groups) {
    if (group.floor_ns <= 0 || group.instance_count <= 0 || group.floor_bytes <= 0) continue;
    const std::string name(operator_kind_name(group.kind));
    const double bytes = group.floor_bytes / static_cast<double>(group.instance_count);
    for (Tier tier : {Tier::triton, Tier::cuda, Tier::existing}) {
      const std::pair key{name, std::string(tier_name(tier))};
      const auto row = store.nearest(name, key.second, group.phase == Phase::backward ? "bwd" : "fwd", device,
                                     bytes, last_number(group.shapes));
      if (!row) {
        incomplete[key] = true;
        continue;
      }
      Sum& sum = sums[key];
      const auto floor_ns = static_cast<double>(group.floor_ns);
      sum.floor_ns += floor_ns;
      sum.time_ns += floor_ns / std::max(row->efficiency(matrix_ceiling(explanation, *row)), 0.01);
      if (floor_ns > sum.largest_floor_ns) sum.largest = *row, sum.largest_floor_ns = floor_ns;
    }
  }
  for (const auto& [key, sum] : sums) {
    if (incomplete.contains(key) || sum.time_ns <= 0)
      continue;  // one direction unmeasured: the prior holds for all
    const double likely = sum.floor_ns / sum.time_ns;
    auto& rows = measured.efficiency[key.first];
    if (rows.empty()) rows = policy.efficiency.find("default")->second;
    rows[key.second] = {likely * 0.85, likely, std::min(likely * 1.05, 1.0)};  // other shapes, other clocks
    used[key] = sum.largest;
  }
  return measured;
}

}  // namespace pagoda
