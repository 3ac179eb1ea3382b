#include "readers/kineto/event.h"

#include <optional>

namespace pagoda::kineto {
namespace {

std::optional<Arg> arg_of(std::string_view key) {
  // By length first: nearly every key of a real trace is told by one comparison.
  switch (key.size()) {
    case 4:
      if (key == "grid") return Arg::grid;
      if (key == "name") return Arg::name;
      break;
    case 5:
      if (key == "block") return Arg::block;
      if (key == "bytes" || key == "Bytes") return Arg::bytes;
      if (key == "dtype") return Arg::dtype;
      break;
    case 6:
      if (key == "device") return Arg::device;
      if (key == "stream") return Arg::stream;
      break;
    case 9:
      if (key == "Device Id") return Arg::device_id;
      if (key == "num_warps") return Arg::num_warps;
      break;
    case 10:
      if (key == "Input Dims" || key == "Input dims") return Arg::dims;
      if (key == "Input type") return Arg::types;
      if (key == "Group size") return Arg::group_size;
      if (key == "num_stages") return Arg::num_stages;
      break;
    case 11:
      if (key == "correlation") return Arg::correlation;
      if (key == "External id" || key == "external id") return Arg::external_id;
      if (key == "Device Type") return Arg::device_type;
      if (key == "kernel_file") return Arg::kernel_file;
      if (key == "kernel_hash") return Arg::kernel_hash;
      if (key == "kernel_name") return Arg::kernel_name;
      break;
    case 13:
      if (key == "shared memory") return Arg::shared_memory;
      if (key == "Input Strides") return Arg::strides;
      if (key == "Fwd thread id") return Arg::forward_thread;
      if (key == "In msg nelems") return Arg::in_elements;
      if (key == "kernel_kwargs") return Arg::kernel_kwargs;
      break;
    case 14:
      if (key == "Out msg nelems") return Arg::out_elements;
      if (key == "kernel_backend") return Arg::kernel_backend;
      if (key == "Total Reserved") return Arg::total_reserved;
      break;
    case 15:
      if (key == "Concrete Inputs") return Arg::concrete;
      if (key == "Sequence number") return Arg::sequence_number;
      if (key == "Collective name") return Arg::collective_name;
      if (key == "Total Allocated") return Arg::total_allocated;
      break;
    case 18:
      if (key == "Process Group Name") return Arg::group_name;
      break;
    case 20:
      if (key == "registers per thread") return Arg::registers;
      break;
    default: break;
  }
  return std::nullopt;
}

Value* field_of(Event& event, std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return &event.phase;
      if (key == "ts") return &event.time;
      if (key == "id") return &event.id;
      break;
    case 3:
      if (key == "cat") return &event.category;
      if (key == "dur") return &event.duration;
      if (key == "pid") return &event.pid;
      if (key == "tid") return &event.tid;
      break;
    case 4:
      if (key == "name") return &event.name;
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
