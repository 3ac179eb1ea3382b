#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "readers/kineto/scan.h"

namespace pagoda::kineto {

/// Arguments that Pagoda uses, under every spelling that exporters gave them.
enum class Arg : std::uint8_t {
  external_id,
  correlation,
  device,
  stream,
  grid,
  block,
  registers,
  shared_memory,
  bytes,
  dims,
  types,
  strides,
  concrete,
  sequence_number,
  forward_thread,
  collective_name,
  dtype,
  in_elements,
  out_elements,
  group_size,
  group_name,
  kernel_backend,
  kernel_file,
  kernel_hash,
  kernel_kwargs,
  kernel_name,
  num_warps,
  num_stages,
  name,
  total_allocated,
  total_reserved,
  device_id,
  device_type,
};

struct ArgValue {
  Arg arg;
  Value value;
};

/// One element of traceEvents as text; valid while the buffer it was read from is.
struct Event {
  Value phase, category, name, pid, tid, time, duration, id;
  const ArgValue* args = nullptr;  ///< set by Batch::event
  std::uint32_t first_arg = 0;
  std::uint32_t arg_count = 0;
  std::uint64_t known_args = 0;  ///< bit per Arg that is present
  std::uint64_t offset = 0;      ///< position in the decompressed content
  Oddities oddities;

  bool has(Arg arg) const { return known_args >> static_cast<unsigned>(arg) & 1; }
  /// Kind `none` where absent.
  Value arg(Arg which) const {
    if (!has(which)) return {};
    for (std::uint32_t i = 0; i < arg_count; ++i) {
      if (args[i].arg == which) return args[i].value;
    }
    return {};
  }
};

/// Reads the object at the scanner ('{' is next), its arguments to the end of `args`. False: see
/// scanner.status(); `args` may then have a rest of it.
bool read_event(Scanner& scanner, Event& event, std::vector<ArgValue>& args);

}  // namespace pagoda::kineto
