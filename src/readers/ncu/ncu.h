#pragma once
#include "readers/reader.h"

namespace pagoda {

/// CSV of Nsight Compute (`ncu --csv`): the details page, the raw page and the per-kernel summary, with
/// whatever the profiled program printed in between. Fills Trace::counters and the devices that the table
/// names.
extern const Format kNcuFormat;

}  // namespace pagoda
