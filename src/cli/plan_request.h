#pragma once
#include <optional>
#include <string>
#include <vector>

#include "advice/make_plan.h"
#include "report/messages/render.h"

namespace CLI {
class App;
}

namespace pagoda {

/// Options that `plan` and `explain` share, and the plan that they lead to.
struct PlanRequest {
  std::vector<std::string> traces;
  std::string window = "all";
  std::optional<double> step_time_ms;
  std::optional<double> peak_tflops;
  std::optional<double> peak_gbs;
  std::optional<double> gpu_hour_cost;
  std::optional<double> gpus;
  std::optional<double> day_cost;
  std::string project;
  std::string policy;
  std::string preset;
  std::string catalogue;
  std::string evidence;  ///< a store, "none", or empty for the built-in rows
  std::string language;
  bool no_progress = false;
};

/// --lang, or the locale.
Language chosen_language(const PlanRequest& request);

void add_plan_options(CLI::App& command, PlanRequest& request);

struct PlanResult {
  Plan plan;
  std::optional<Trace> trace;  ///< the profile that the plan is about
  bool truncated = false;
};
PlanResult plan_of(const PlanRequest& request);

}  // namespace pagoda
