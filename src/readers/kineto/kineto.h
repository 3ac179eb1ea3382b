#pragma once
#include "readers/reader.h"

namespace pagoda {

/// PyTorch profiler (Kineto) and other Chrome trace JSON: torch 1.7 to 2.11, CUDA, ROCm and CPU only, with
/// the events in "traceEvents" or as a bare list.
extern const Format kKinetoFormat;

}  // namespace pagoda
