#pragma once
#include <array>
#include <cstdint>
#include <string_view>

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
inline constexpr std::size_t kArgCount = static_cast<std::size_t>(Arg::device_type) + 1;

/// One element of traceEvents as text; valid while the buffer it was read from is.
struct Event {
  Value phase, category, name, pid, tid, time, duration, id;
  std::array<Value, kArgCount> args;
  std::uint64_t known_args = 0;  ///< bit per Arg that is present
  Oddities oddities;

  bool has(Arg arg) const { return known_args >> static_cast<unsigned>(arg) & 1; }
  /// Kind `none` where absent.
  Value arg(Arg which) const { return has(which) ? args[static_cast<std::size_t>(which)] : Value{}; }
};

/// Reads the object at the scanner ('{' is next). False: see scanner.status().
bool read_event(Scanner& scanner, Event& event);

}  // namespace pagoda::kineto
