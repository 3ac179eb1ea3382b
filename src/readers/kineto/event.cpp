#include "readers/kineto/event.h"

#include <cstring>
#include <optional>

namespace pagoda::kineto {
namespace {

/// The text is known to be as long as the literal: a comparison of constant length, which needs no call.
template <std::size_t kBytes>
bool same(std::string_view text, const char (&literal)[kBytes]) {
  return std::memcmp(text.data(), literal, kBytes - 1) == 0;
}

std::optional<Arg> arg_of(std::string_view key) {
  // By length first: nearly every key of a real trace is told by one comparison.
  switch (key.size()) {
    case 4:
      if (same(key, "grid")) return Arg::grid;
      if (same(key, "name")) return Arg::name;
      break;
    case 5:
      if (same(key, "block")) return Arg::block;
      if (same(key, "bytes") || same(key, "Bytes")) return Arg::bytes;
      if (same(key, "dtype")) return Arg::dtype;
      break;
    case 6:
      if (same(key, "device")) return Arg::device;
      if (same(key, "stream")) return Arg::stream;
      break;
    case 9:
      if (same(key, "Device Id")) return Arg::device_id;
      if (same(key, "num_warps")) return Arg::num_warps;
      break;
    case 10:
      if (same(key, "Input Dims") || same(key, "Input dims")) return Arg::dims;
      if (same(key, "Input type")) return Arg::types;
      if (same(key, "Group size")) return Arg::group_size;
      if (same(key, "num_stages")) return Arg::num_stages;
      break;
    case 11:
      if (same(key, "correlation")) return Arg::correlation;
      if (same(key, "External id") || same(key, "external id")) return Arg::external_id;
      if (same(key, "Device Type")) return Arg::device_type;
      if (same(key, "kernel_file")) return Arg::kernel_file;
      if (same(key, "kernel_hash")) return Arg::kernel_hash;
      if (same(key, "kernel_name")) return Arg::kernel_name;
      break;
    case 13:
      if (same(key, "shared memory")) return Arg::shared_memory;
      if (same(key, "Input Strides")) return Arg::strides;
      if (same(key, "Fwd thread id")) return Arg::forward_thread;
      if (same(key, "In msg nelems")) return Arg::in_elements;
      if (same(key, "kernel_kwargs")) return Arg::kernel_kwargs;
      break;
    case 14:
      if (same(key, "Out msg nelems")) return Arg::out_elements;
      if (same(key, "kernel_backend")) return Arg::kernel_backend;
      if (same(key, "Total Reserved")) return Arg::total_reserved;
      break;
    case 15:
      if (same(key, "Concrete Inputs")) return Arg::concrete;
      if (same(key, "Sequence number")) return Arg::sequence_number;
      if (same(key, "Collective name")) return Arg::collective_name;
      if (same(key, "Total Allocated")) return Arg::total_allocated;
      break;
    case 18:
      if (same(key, "Process Group Name")) return Arg::group_name;
      break;
    case 20:
      if (same(key, "registers per thread")) return Arg::registers;
      break;
    default: break;
  }
  return std::nullopt;
}

Value* field_of(Event& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (same(key, "ph")) return &event.phase;
      if (same(key, "ts")) return &event.time;
      if (same(key, "id")) return &event.id;
      break;
    case 3:
      if (same(key, "cat")) return &event.category;
      if (same(key, "dur")) return &event.duration;
      if (same(key, "pid")) return &event.pid;
      if (same(key, "tid")) return &event.tid;
      break;
    case 4:
      if (same(key, "name")) return &event.name;
      break;
    default: break;
  }
  return nullptr;
}

/// The pairs of an object up to its '}'; `each` takes a key and reads its value.
template <typename Each>
bool read_object(Scanner& scanner, const Each& each) {
  if (!scanner.take('{')) return scanner.unexpected();
  if (scanner.take('}')) return true;
  std::string_view key;
  while (scanner.key(key)) {
    if (!each(key)) return false;
    if (scanner.take('}')) return true;
    if (!scanner.take(',')) return scanner.unexpected();
    if (scanner.take('}')) return true;  // a comma too many
  }
  return false;
}

bool read_args(Scanner& scanner, Event& event, std::vector<ArgValue>& args) {
  return read_object(scanner, [&](std::string_view key) {
    Value value;
    const auto arg = arg_of(key);
    if (!scanner.value(value)) return false;
    if (!arg || event.has(*arg)) return true;
    event.known_args |= std::uint64_t{1} << static_cast<unsigned>(*arg);
    args.push_back({*arg, value});
    return true;
  });
}

}  // namespace

bool read_event(Scanner& scanner, Event& event, std::vector<ArgValue>& args) {
  event.first_arg = static_cast<std::uint32_t>(args.size());
  const bool whole = read_object(scanner, [&](std::string_view key) {
    if (key == "args" && scanner.peek() == '{') return read_args(scanner, event, args);
    Value ignored;
    Value* field = field_of(event, key);
    return scanner.value(field ? *field : ignored);
  });
  event.arg_count = static_cast<std::uint32_t>(args.size()) - event.first_arg;
  event.oddities = scanner.oddities();
  return whole;
}

}  // namespace pagoda::kineto
