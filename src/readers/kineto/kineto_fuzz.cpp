#include <cstdint>

#include "core/error.h"
#include "readers/kineto/kineto.h"
#include "readers/testing/text_content.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  pagoda::test::TextContent content(bytes, 1 + size / 3);
  pagoda::kKinetoFormat.sniff(content.head());
  try {
    const pagoda::Trace trace = pagoda::kKinetoFormat.read(content, {});
    if (trace.content_bytes > size) __builtin_trap();
    for (const auto& event : trace.gpu_events) {
      if (event.duration_ns < 0 || event.device >= trace.devices.size()) __builtin_trap();
    }
  } catch (const pagoda::Error&) {
  }
  return 0;
}
