#pragma once
#include <string>

#include "advice/plan.h"

namespace pagoda {

/// The whole of a plan as `pagoda.plan/1` (docs/json-plan.md). Times are integer ns per step; sentences are
/// objects of id, English text and arguments.
std::string plan_json(const Plan& plan);

}  // namespace pagoda
