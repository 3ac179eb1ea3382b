#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "advice/evidence.h"

namespace pagoda {

/// Measured rows as a table, only those of one operator unless it is empty.
std::string evidence_page(const std::vector<EvidenceRow>& rows, std::string_view operator_name, bool colour);

}  // namespace pagoda
