#pragma once
#include <optional>

#include "advice/catalogue.h"
#include "advice/evidence.h"
#include "advice/plan.h"
#include "advice/policy.h"
#include "advice/project.h"
#include "analysis/attribution.h"
#include "analysis/roofline.h"
#include "trace/trace.h"

namespace pagoda {

/// What a plan is made from. The trace is the one that the plan is about (with many ranks: one of them); the
/// analysis is of all.
struct PlanInput {
  const Trace& trace;
  const Explanation& explanation;
  Analysis analysis;
  std::string step_label;  ///< empty: the whole window is one step
};

struct PlanOptions {
  Policy policy = Policy::built_in();
  Catalogue catalogue = Catalogue::built_in();
  Project project;
  std::optional<Nanos> step_time_ns;                           ///< of one step without the profiler
  const EvidenceStore* evidence = &EvidenceStore::built_in();  ///< nullptr: priors only
};

/// Walks the decision tree for everything that could be done, in the order of end-to-end gain per day of
/// work, each on top of what was chosen before it. Same input, same plan. A trace without GPU work gives a
/// plan without actions.
Plan make_plan(PlanInput input, const PlanOptions& options = {});

}  // namespace pagoda
