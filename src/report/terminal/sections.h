#pragma once
#include "analysis/account.h"
#include "report/terminal/analysis_page.h"
#include "report/terminal/page.h"

namespace pagoda {

/// One section of the page each; a section with nothing to say writes nothing.
void write_operators(Page& page, const Analysis& analysis, const PageOptions& options);
void write_idle(Page& page, const Analysis& analysis, const PageOptions& options);
void write_graphs(Page& page, const Analysis& analysis, const PageOptions& options);
void write_collectives(Page& page, const Analysis& analysis, const PageOptions& options);
void write_stragglers(Page& page, const Analysis& analysis);
void write_counters(Page& page, const Analysis& analysis, const PageOptions& options);
void write_warnings(Page& page, const Analysis& analysis);
void write_diagnostics(Page& page, const Analysis& analysis, const PageOptions& options);
void write_files(Page& page, const Analysis& analysis);

}  // namespace pagoda
