#include <cstring>

#include "analysis/analyze.h"
#include "core/error.h"

// One list of fields serves both directions, so that writing and reading cannot drift apart.
namespace pagoda {
namespace {

constexpr std::string_view kMagic = "pagoda.account/1";

class Writer {
 public:
  std::string bytes;
  template <typename Number>
  void number(Number& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string& value) {
    std::uint64_t size = value.size();
    number(size);
    bytes += value;
  }
  template <typename List>
  std::size_t size_of(List& list) {
    std::uint64_t size = list.size();
    number(size);
    return list.size();
  }
  static constexpr bool kReads = false;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <typename Number>
  void number(Number& value) {
    need(sizeof value);
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  void text(std::string& value) {
    const std::size_t size = count();
    need(size);
    value.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  template <typename List>
  std::size_t size_of(List& list) {
    const std::size_t size = count();
    need(size);  // every element takes at least a byte: a hostile size can't make us allocate
    if constexpr (requires { list.resize(size); }) list.resize(size);
    return size;
  }
  void finish() const {
    if (!rest_.empty()) damaged();
  }
  static constexpr bool kReads = true;

 private:
  std::size_t count() {
    std::uint64_t size = 0;
    number(size);
    return size;
  }
  void need(std::size_t size) const {
    if (size > rest_.size()) damaged();
  }
  [[noreturn]] static void damaged() {
    throw Error("an account from another process is damaged", {"mpi", {}},
                "run all processes from the same program");
  }
  std::string_view rest_;
};

template <typename Archive, typename Value>
  requires std::is_arithmetic_v<Value> || std::is_enum_v<Value>
void io(Archive& archive, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    std::uint8_t byte = value ? 1 : 0;
    archive.number(byte);
    value = byte != 0;
  } else {
    archive.number(value);
  }
}
template <typename Archive>
void io(Archive& archive, std::string& value) {
  archive.text(value);
}

template <typename Archive, typename... Fields>
void io_all(Archive& archive, Fields&... fields);

template <typename Archive, typename Value>
void io(Archive& archive, std::optional<Value>& value) {
  bool has = value.has_value();
  io(archive, has);
  if constexpr (Archive::kReads) value = has ? std::optional<Value>(Value{}) : std::nullopt;
  if (has) io(archive, *value);
}
template <typename Archive, typename Value, std::size_t N>
void io(Archive& archive, std::array<Value, N>& values) {
  for (Value& value : values) io(archive, value);
}
template <typename Archive, typename Value>
void io(Archive& archive, std::vector<Value>& values) {
  archive.size_of(values);
  for (Value& value : values) io(archive, value);
}
template <typename Archive, typename Value>
void io(Archive& archive, std::map<std::string, Value>& values) {
  const std::size_t size = archive.size_of(values);
  if constexpr (Archive::kReads) {
    for (std::size_t i = 0; i < size; ++i) {
      std::string key;
      io(archive, key);
      io(archive, values[key]);
    }
  } else {
    for (auto& [key, value] : values) {
      std::string copy = key;
      io_all(archive, copy, value);
    }
  }
}

template <typename Archive>
void io(Archive& a, CountsByKind& v) {
  io_all(a, v.compute, v.communication, v.memcpy, v.memset);
}
template <typename Archive>
void io(Archive& a, StreamAccount& v) {
  io_all(a, v.stream, v.events, v.busy_ns, v.overlaps, v.worst_overlap_ns);
}
template <typename Archive>
void io(Archive& a, FileSummary& v) {
  io_all(a, v.path, v.format, v.content_bytes, v.events, v.truncated, v.rank, v.world_size,
         v.other_categories);
}
template <typename Archive>
void io(Archive& a, DeviceAccount& v) {
  io_all(a, v.rank, v.device, v.name, v.file, v.window_label, v.start_ns, v.window_ns, v.busy_ns, v.idle_ns,
         v.compute_ns, v.communication_ns, v.exposed_communication_ns, v.overlapped_communication_ns,
         v.exposed_copy_ns, v.without_launch_ns, v.launched_before_capture_ns, v.unattributed_ns, v.graph_ns,
         v.without_launch_count, v.launched_before_capture_count, v.graph_count, v.counts, v.kernel_sum_ns,
         v.buckets_ns, v.idle_unreliable, v.streams, v.peak_allocated_bytes, v.peak_reserved_bytes);
}
template <typename Archive>
void io(Archive& a, OperatorRow& v) {
  io_all(a, v.name, v.shapes, v.dtypes, v.module, v.annotation, v.python, v.phase, v.how, v.time_ns, v.calls,
         v.gpu_events, v.bound_ns, v.top_kernel);
}
template <typename Archive>
void io(Archive& a, GraphRow::Kernel& v) {
  io_all(a, v.name, v.calls, v.time_ns);
}
template <typename Archive>
void io(Archive& a, GraphRow& v) {
  io_all(a, v.launch_call, v.launches, v.gpu_events, v.time_ns, v.kernels);
}
template <typename Archive>
void io(Archive& a, CollectiveCall& v) {
  io_all(a, v.name, v.dtype, v.group, v.in_elements, v.out_elements, v.group_size, v.rank, v.start_ns,
         v.end_ns);
}
template <typename Archive>
void io(Archive& a, IdleCause& v) {
  io_all(a, v.bucket, v.what, v.time_ns, v.gaps);
}
template <typename Archive>
void io(Archive& a, KernelDetails& v) {
  io_all(a, v.grid, v.block, v.registers_per_thread, v.shared_memory_bytes, v.bytes);
}
template <typename Archive>
void io(Archive& a, KernelCounters& v) {
  io_all(a, v.name, v.details, v.order, v.device_cc, v.metrics);
}

template <typename Archive>
void io(Archive& a, Diagnostics& v) {
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, std::optional<std::uint64_t>> offsets;
  std::map<std::string, std::string> examples;
  for (const auto& [kind, entry] : v.entries()) {
    counts[kind] = entry.count;
    offsets[kind] = entry.first_byte_offset;
    examples[kind] = entry.example;
  }
  io_all(a, counts, offsets, examples);
  if constexpr (Archive::kReads) {
    for (const auto& [kind, count] : counts) v.add(kind, offsets[kind], examples[kind], count);
  }
}

template <typename Archive, typename... Fields>
void io_all(Archive& archive, Fields&... fields) {
  (io(archive, fields), ...);
}

template <typename Archive>
void io(Archive& a, TraceAccount& v) {
  io_all(a, v.file, v.devices, v.operators, v.graphs, v.collectives, v.idle_causes, v.counters,
         v.counter_names, v.diagnostics, v.warnings, v.steps, v.first_ns, v.last_ns);
}

}  // namespace

std::string serialize(const TraceAccount& account) {
  Writer writer;
  std::string magic(kMagic);
  io(writer, magic);
  io(writer,
     const_cast<TraceAccount&>(account));  // the field list is shared with reading; writing changes nothing
  return std::move(writer.bytes);
}

TraceAccount deserialize(std::string_view bytes) {
  Reader reader(bytes);
  std::string magic;
  io(reader, magic);
  TraceAccount account;
  if (magic != kMagic) throw Error("bytes from another process are no account", {"mpi", {}});
  io(reader, account);
  reader.finish();
  return account;
}

}  // namespace pagoda
