#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/policy.h"
#include "analysis/roofline.h"

struct sqlite3;

namespace pagoda {

/// One measurement of one implementation of an operator (docs/evidence.md).
struct EvidenceRow {
  std::string operator_name;
  std::string tier;  ///< tier_name()
  std::string implementation;
  std::string direction;  ///< "fwd", "bwd"
  std::string dtype;      ///< "bf16"
  std::string shape;      ///< "16384x4096"
  double p10_us = 0;
  double median_us = 0;
  double p90_us = 0;
  double bytes = 0;
  double flops = 0;
  double ceiling_gb_per_s = 0;  ///< measured in the same process
  double ceiling_fraction = 0;
  double host_us = -1;
  double max_error = -1;
  std::string device, driver, cuda, commit, date, method;

  /// Time of a perfect kernel over its time. A perfect kernel moves its bytes at the measured ceiling, does
  /// its FLOP at `matrix_flops_per_s` (0: not known, bytes alone count) and takes no less than the shortest
  /// kernel.
  double efficiency(double matrix_flops_per_s = 0) const;
};

/// Measured rows in an SQLite database: a file that `pagoda evidence` fills, or the rows that ship with
/// Pagoda.
class EvidenceStore {
 public:
  /// Opens the file, creating it when `create`. Throws Error when it is none of ours.
  static EvidenceStore open(const std::string& path, bool create);
  /// The rows that ship with Pagoda, in memory.
  static const EvidenceStore& built_in();

  /// Adds the rows of `pagoda-gpu bench --save` (JSON lines; lines of other kinds are passed over). Returns
  /// how many. A row that is there already (same operator, tier, implementation, direction, dtype, shape,
  /// device, date and commit) is replaced. Throws Error with the line of what is wrong.
  std::size_t import_json_lines(std::string_view text, const std::string& path);
  /// Everything, in a fixed order.
  std::vector<EvidenceRow> rows() const;
  /// The row for this operator, tier, direction and device that is nearest in bytes and row length, both in
  /// proportion (`columns` 0: by bytes alone); of equally near ones the fastest. nullopt: nobody measured it
  /// there.
  std::optional<EvidenceRow> nearest(std::string_view operator_name, std::string_view tier,
                                     std::string_view direction, std::string_view device, double bytes,
                                     std::int64_t columns = 0) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit EvidenceStore(sqlite3* database) : database_(database) {}
  void run(const char* sql) const;

  std::unique_ptr<sqlite3, Close> database_;
};

/// What replaced a prior: by operator and tier.
using MeasuredEfficiencies = std::map<std::pair<std::string, std::string>, EvidenceRow>;

/// The policy with measured efficiencies in place of priors, for the operators and shapes of this workload on
/// this device. `used` receives the rows.
Policy with_evidence(const Policy& policy, const EvidenceStore& store, const Explanation& explanation,
                     std::string_view device, MeasuredEfficiencies& used);

}  // namespace pagoda
