#pragma once
#include <cstdint>
#include <string>

#include "core/units.h"

namespace pagoda {

/// Numbers as people read them. Unknown (negative where a quantity cannot be, or NaN) is "unknown".

/// "0 ns", "874 ns", "12.3 us", "55.3 ms", "2.05 s": three figures, never a rounded-away zero.
std::string duration_text(Nanos time_ns);
/// "512 B", "1.5 KB", "80.0 GB": powers of 1000.
std::string bytes_text(double bytes);
/// "3.87 TB/s".
std::string rate_text(double bytes_per_s);
/// "80 %", "4.2 %" below 10, "<0.1 %" for what is not nothing; "-" when the whole is 0.
std::string percent_text(double part, double whole);
/// "1,663".
std::string count_text(std::int64_t count);
/// "1 call", "1,663 calls".
std::string plural_text(std::int64_t count, const char* one, const char* many);

}  // namespace pagoda
