#pragma once
#include <string>

#include "analysis/account.h"

namespace pagoda {

/// The whole of an analysis as `pagoda.analysis/1` (docs/json-analysis.md). Times are integer ns.
std::string analysis_json(const Analysis& analysis);

}  // namespace pagoda
