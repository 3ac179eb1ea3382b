#pragma once
#include <cstddef>
#include <memory>

#include "problem.h"

namespace pagoda::bench {

/// Device memory that frees itself. Throws Error when the device has not enough.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  ~DeviceBuffer();
  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Layout of the tensors of a problem: `pad` extra elements a row, starts shifted by `shift` elements.
struct Layout {
  std::int64_t pad = 0;
  std::int64_t shift = 0;
};

/// All tensors of a problem in device memory, with guard bytes around each.
class TensorSet {
 public:
  TensorSet(const Problem& problem, Layout layout, unsigned seed);

  const Binding& binding() const { return binding_; }
  /// Fresh random inputs; outputs, paddings and guards all bits set (a NaN that nothing computes).
  void fill(unsigned seed);
  /// Row of a tensor as fp64, from the device.
  std::vector<double> read_row(int tensor, std::int64_t row) const;
  /// Number of guard and padding bytes that changed since `fill`.
  std::int64_t damaged_bytes() const;
  /// The bytes of an output without padding.
  std::vector<char> bytes_of(int tensor) const;
  /// Overwrites an element of an input, given as fp64.
  void poke(int tensor, std::int64_t row, std::int64_t col, double value);
  std::size_t total_bytes() const;

 private:
  const Problem& problem_;
  Layout layout_;
  std::vector<DeviceBuffer> buffers_;
  Binding binding_;
};

/// Launches a fill of rows x cols elements of `dtype`.
void fill_random(void* data, Dtype dtype, std::int64_t rows, std::int64_t cols, std::int64_t row_stride,
                 Fill fill, double scale, unsigned seed, Stream stream);

/// Streams that measure the memory: kind 0 copies, 1 reads, 2 writes `bytes` bytes of each buffer.
void launch_memory_kernel(int kind, const void* from, void* to, std::size_t bytes, Stream stream);
void launch_empty_kernel(Stream stream);

double element_as_double(const char* p, Dtype dtype);

}  // namespace pagoda::bench
