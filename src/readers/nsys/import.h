#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "readers/nsys/database.h"
#include "readers/reader.h"

namespace pagoda::nsys {

/// The trace in an open export. `head` is the first 100 bytes of the file, which tell how long it should be.
/// Throws Error when the database is something else or nothing in it can be read.
Trace import_trace(const Database& database, std::string_view head, std::uint64_t file_bytes,
                   const std::string& name, const ReadOptions& options);

}  // namespace pagoda::nsys
