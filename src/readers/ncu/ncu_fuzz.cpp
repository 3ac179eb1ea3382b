#include <cstdint>

#include "core/error.h"
#include "readers/ncu/ncu.h"
#include "readers/testing/text_content.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pagoda::test::TextContent content({reinterpret_cast<const char*>(data), size});
  pagoda::kNcuFormat.sniff(content.head());
  try {
    pagoda::kNcuFormat.read(content, {});
  } catch (const pagoda::Error&) {
  }
  return 0;
}
