#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace pagoda {

/// Element type of a tensor as the profiler spells it ("c10::BFloat16").
enum class DataType : std::uint8_t {
  unknown,
  f64,
  f32,
  f16,
  bf16,
  f8,
  c64,
  c128,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean
};
DataType data_type_of(std::string_view recorded);
/// Bytes of one element, 0 where unknown.
int element_bytes(DataType type);
bool is_floating(DataType type);

/// One argument of an op. `given` is false for what was not passed or is no tensor.
struct TensorArg {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;  ///< empty where not recorded
  std::vector<TensorArg> list;        ///< of a TensorList whose shapes were recorded
  DataType type = DataType::unknown;
  bool given = false;
  bool is_list = false;

  std::int64_t elements() const;
  /// Elements that lie in memory: dimensions of stride 0 (expanded) count once.
  std::int64_t stored_elements() const;
  bool is_scalar() const { return dims.empty(); }
};

/// Arguments of one op call, parsed from the JSON text of OpArgs.
struct OpInput {
  std::vector<TensorArg> args;
  std::vector<std::string_view> concrete;  ///< text of each argument, views into the trace's strings

  bool has(std::size_t index) const { return index < args.size() && args[index].given; }
  bool has_dims(std::size_t index) const { return has(index) && !args[index].dims.empty(); }
  /// "[1, 2]" -> {1, 2}; a single number stands for itself; empty where not recorded.
  std::vector<std::int64_t> integers(std::size_t index) const;
  std::optional<bool> boolean(std::size_t index) const;
};

/// Tolerant of damage: what cannot be read is not given.
OpInput parse_op_args(const Trace& trace, const OpArgs& args);

}  // namespace pagoda
