#pragma once
#include <string>

#include "advice/plan.h"
#include "report/messages/render.h"

namespace pagoda {

/// The selection memo that a lead pastes into a ticket: question, evidence, the three tiers compared for this
/// workload, decision, cost, risk.
std::string plan_markdown(const Plan& plan, Language language = Language::english);

}  // namespace pagoda
