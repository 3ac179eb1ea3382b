#pragma once
#include <cstdint>

namespace pagoda {

/// Time is integer nanoseconds everywhere: sums are exact and every account can be checked to the last one.
using Nanos = std::int64_t;

/// "no such row" for every 32-bit index into a table.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

}  // namespace pagoda
