#pragma once
#include <optional>
#include <string>
#include <vector>

#include "advice/plan.h"

namespace pagoda {

/// One operator (all shapes, one phase) before and after, per step. -1: not there.
struct DiffRow {
  std::string operator_name;
  std::string phase;
  Nanos before_ns = -1;
  Nanos after_ns = -1;
  std::int64_t before_events = 0;
  std::int64_t after_events = 0;

  Nanos change_ns() const { return std::max<Nanos>(after_ns, 0) - std::max<Nanos>(before_ns, 0); }
};

/// What a plan had promised for an action that was taken.
struct Promise {
  std::string action_id;
  std::string operator_name;
  NanosRange step_after_alone_ns;
  NanosRange step_after_cumulative_ns;
};

struct Diff {
  Nanos before_step_ns = 0;
  Nanos after_step_ns = 0;
  bool before_corrected = false;
  bool after_corrected = false;
  Nanos before_busy_ns = 0;
  Nanos after_busy_ns = 0;
  std::int64_t before_launches = 0;
  std::int64_t after_launches = 0;
  std::vector<DiffRow> rows;                   ///< by the size of the change, largest first
  std::vector<Promise> promises;               ///< of the plan that was given, in its order
  std::optional<std::size_t> nearest_promise;  ///< whose cumulative step is nearest to what was achieved

  double change_fraction() const;  ///< of the step: -0.25 is a quarter faster
};

/// Both plans must have GPU work; throws Error naming the one that has none.
Diff diff_of(const Plan& before, const Plan& after, std::vector<Promise> promises = {});

}  // namespace pagoda
