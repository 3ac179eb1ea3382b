#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"
#include "readers/kineto/scan.h"

namespace pagoda::kineto {

/// Microseconds as decimal text to nanoseconds, exactly: digits below one nanosecond round half up.
/// nullopt: no number, or outside +-292 years.
std::optional<Nanos> nanos_of_micros(std::string_view text);

/// Whole part of a number or of a number in quotes; nullopt when there is none or it does not fit.
std::optional<std::int64_t> integer_of(const Value& value);
/// Same for ids, which are unsigned and may pass 2^63.
std::optional<std::uint64_t> id_of(const Value& value);
/// The first three elements of "[32, 1, 1]"; 0 where there is none.
std::array<std::uint32_t, 3> triple_of(const Value& value);

/// JSON string escapes resolved; a backslash that escapes nothing stays.
void unescape(std::string_view text, std::string& out);
/// JSON text without white space between its tokens.
void compact(std::string_view json, std::string& out);

}  // namespace pagoda::kineto
