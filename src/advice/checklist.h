#pragma once
#include <vector>

#include "advice/candidates.h"
#include "advice/project.h"

namespace pagoda {

/// The selection checklist of the three tiers for one candidate, each line ticked, not ticked or not known,
/// with the evidence.
std::vector<ChecklistItem> checklist_of(const Candidate& candidate, double share_fraction,
                                        const Policy& policy, const Project& project);

}  // namespace pagoda
