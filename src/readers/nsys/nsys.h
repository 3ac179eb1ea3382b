#pragma once
#include "readers/reader.h"

namespace pagoda {

/// SQLite exports of Nsight Systems (`nsys export --type sqlite`), schemas of 2021 to 2026.
/// The environment of the profiled machine, which such files carry, is never read.
extern const Format kNsysFormat;

}  // namespace pagoda
