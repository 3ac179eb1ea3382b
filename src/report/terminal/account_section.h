#pragma once
#include "analysis/account.h"
#include "report/terminal/analysis_page.h"
#include "report/terminal/page.h"

namespace pagoda {

/// Where the window of each device goes, with bars, and the check that nothing is left over. One or two
/// devices in full, more as a table of one row each.
void write_account(Page& page, const Analysis& analysis, const PageOptions& options);

}  // namespace pagoda
