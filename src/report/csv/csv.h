#pragma once
#include <span>
#include <string>
#include <string_view>

#include "analysis/account.h"

namespace pagoda {

/// One table of an analysis as CSV (RFC 4180: CRLF, quotes doubled), titles in the first line. Text that a
/// spreadsheet would take for a formula gets a ' in front. Unknown numbers are empty fields.

/// "operators", "devices", "idle", "collectives", "graphs", "diagnostics".
std::span<const std::string_view> csv_tables();
/// Throws Error when there is no such table.
std::string analysis_csv(const Analysis& analysis, std::string_view table);

/// One text field, quoted and guarded as needed.
std::string csv_field(std::string_view text);

}  // namespace pagoda
