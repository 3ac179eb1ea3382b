#pragma once
#include <string>
#include <string_view>

#include "advice/plan.h"
#include "report/messages/render.h"

namespace pagoda {

struct PlanPageOptions {
  bool colour = false;
  bool verbose = false;
  Language language = Language::english;
  std::string command;  ///< what to type for the next step: "trace.json.gz"
};

/// The decision on one page: headline, where a step goes, what to do, why, what was declined, doubts.
std::string plan_page(const Plan& plan, const PlanPageOptions& options = {});

/// The whole reasoning of one action: kernels, shapes, path, tiers, evidence, checklist, implementations,
/// risks. `which` is its rank or id. Throws Error that lists the actions when there is none.
std::string action_page(const Plan& plan, std::string_view which, const PlanPageOptions& options = {});

}  // namespace pagoda
