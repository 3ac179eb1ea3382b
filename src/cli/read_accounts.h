#pragma once
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "readers/reader.h"

namespace pagoda {

class Team;

struct ReadRequest {
  std::vector<std::string> paths;
  AnalysisOptions analysis;
  bool show_progress = false;
};

/// Reads and accounts for every profile among `paths`, shared out over the team. The first process gets the
/// Analysis; the others get nothing. Counters of Nsight Compute reports are joined to the kernels of the
/// other profiles. Throws the Error of the first profile (in the order of find_inputs) that has one, in every
/// team of whatever size.
std::optional<Analysis> read_analysis(const ReadRequest& request, Team& team);

}  // namespace pagoda
