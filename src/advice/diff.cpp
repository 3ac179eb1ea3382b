#include "advice/diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "core/error.h"

namespace pagoda {
namespace {

std::string path_of(const Plan& plan) {
  return plan.analysis.files.empty() ? "" : plan.analysis.files.front().path;
}

void add(const Plan& plan, bool after, std::map<std::pair<std::string, std::string>, DiffRow>& rows) {
  for (const PlanOperator& each : plan.operators) {
    DiffRow& row = rows[{each.operator_name, each.phase}];
    row.operator_name = each.operator_name;
    row.phase = each.phase;
    Nanos& time_ns = after ? row.after_ns : row.before_ns;
    time_ns = std::max<Nanos>(time_ns, 0) + each.time_ns;
    (after ? row.after_events : row.before_events) += each.gpu_events;
  }
}

}  // namespace

double Diff::change_fraction() const {
  return before_step_ns > 0
             ? static_cast<double>(after_step_ns - before_step_ns) / static_cast<double>(before_step_ns)
             : 0;
}

Diff diff_of(const Plan& before, const Plan& after, std::vector<Promise> promises) {
  for (const Plan* plan : {&before, &after}) {
    if (plan->step_ns <= 0) throw Error("there is no GPU work in it to compare", {path_of(*plan), {}});
  }
  Diff diff;
  diff.before_step_ns = before.step_ns;
  diff.after_step_ns = after.step_ns;
  diff.before_corrected = before.corrected;
  diff.after_corrected = after.corrected;
  diff.before_busy_ns = before.gpu_busy_per_step_ns;
  diff.after_busy_ns = after.gpu_busy_per_step_ns;
  diff.before_launches = before.launch_count_per_step;
  diff.after_launches = after.launch_count_per_step;
  std::map<std::pair<std::string, std::string>, DiffRow> rows;
  add(before, false, rows);
  add(after, true, rows);
  for (auto& [key, row] : rows) diff.rows.push_back(std::move(row));
  std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow& a, const DiffRow& b) {
    return std::llabs(a.change_ns()) > std::llabs(b.change_ns());
  });
  diff.promises = std::move(promises);
  for (std::size_t i = 0; i < diff.promises.size(); ++i) {
    const auto distance = [&](std::size_t at) {
      return std::llabs(diff.promises[at].step_after_cumulative_ns.likely - diff.after_step_ns);
    };
    if (!diff.nearest_promise || distance(i) < distance(*diff.nearest_promise)) diff.nearest_promise = i;
  }
  return diff;
}

}  // namespace pagoda
