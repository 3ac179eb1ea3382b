#pragma once
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/roofline.h"
#include "hardware/hardware.h"
#include "readers/reader.h"

namespace pagoda {

class Team;

/// One profile in memory, with why each of its kernels takes its time.
struct ExplainedTrace {
  std::size_t index = 0;  ///< position among the inputs
  Trace trace;
  Explanation explanation;
};

struct ReadRequest {
  std::vector<std::string> paths;
  AnalysisOptions analysis;
  PeakOverride peaks;
  bool keep_trace =
      false;  ///< of the first profile with GPU work, for questions that an account can't answer
  bool show_progress = false;
};

/// Reads and accounts for every profile among `paths`, shared out over the team. The first process gets the
/// Analysis; the others get nothing. Counters of Nsight Compute reports are joined to the kernels of the
/// other profiles. Throws the Error of the first profile (in the order of find_inputs) that has one, in every
/// team of whatever size.
std::optional<Analysis> read_analysis(const ReadRequest& request, Team& team);

struct ReadResult {
  Analysis analysis;
  std::optional<ExplainedTrace> kept;
};
/// The same in this process alone, with the trace that the request asks to keep.
ReadResult read_explained(const ReadRequest& request);

}  // namespace pagoda
