#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

struct CUstream_st;

namespace pagoda::ops {

/// A CUDA stream, spelled so that callers need no CUDA header. Null is the default stream.
using Stream = CUstream_st*;

enum class Dtype : std::uint8_t { f32, f16, bf16, e4m3, i8, i64 };
std::string_view dtype_name(Dtype dtype);  ///< "fp32", "fp16", "bf16", "fp8", "int8", "int64"
constexpr std::int64_t dtype_bytes(Dtype dtype) {
  return dtype == Dtype::i64 ? 8 : dtype == Dtype::f32 ? 4 : dtype >= Dtype::e4m3 ? 1 : 2;
}

/// Which implementation runs. Results agree within rounding; only speed differs.
enum class Tier : std::uint8_t { triton, cuda };
std::string_view tier_name(Tier tier);

/// Rows of a tensor in device memory: element (r, c) is at data[r * row_stride + c].
/// A 3-D or 4-D tensor whose leading dimensions are evenly spaced is one of these; a broadcast row has stride
/// 0.
struct ConstMatrix {
  const void* data = nullptr;
  Dtype dtype = Dtype::bf16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t row_stride = 0;  ///< in elements

  explicit operator bool() const { return data != nullptr; }
};

struct Matrix {
  void* data = nullptr;
  Dtype dtype = Dtype::bf16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t row_stride = 0;

  explicit operator bool() const { return data != nullptr; }
  operator ConstMatrix() const { return {data, dtype, rows, cols, row_stride}; }
};

/// One contiguous row: a weight or its gradient.
struct ConstVector {
  const void* data = nullptr;
  Dtype dtype = Dtype::bf16;
  std::int64_t size = 0;

  explicit operator bool() const { return data != nullptr; }
};

struct Vector {
  void* data = nullptr;
  Dtype dtype = Dtype::bf16;
  std::int64_t size = 0;

  explicit operator bool() const { return data != nullptr; }
  operator ConstVector() const { return {data, dtype, size}; }
};

/// What a perfect implementation does: each input read once, each output written once.
struct Cost {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
};

}  // namespace pagoda::ops
