#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"
#include "readers/nsys/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pagoda;
  try {
    const auto database = nsys::Database::open_memory({data, size}, "fuzz");
    const std::string_view head(reinterpret_cast<const char*>(data), size);
    nsys::import_trace(database, head, size, "fuzz", {});
  } catch (const Error&) {
  }
  return 0;
}
