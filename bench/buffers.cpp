#include "buffers.h"

#include <cmath>
#include <cstring>
#include <utility>

#include <cuda_runtime_api.h>

#include "common/check.h"

namespace pagoda::bench {

using ops::check_cuda;
using ops::dtype_bytes;

constexpr std::int64_t kGuardBytes = 256;

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  void* p = nullptr;
  if (bytes > 0) check_cuda(cudaMalloc(&p, bytes), "allocating device memory");
  data_ = static_cast<char*>(p);
}
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
DeviceBuffer::~DeviceBuffer() { cudaFree(data_); }

static float half_to_float(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.f : 1.f;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(1024.f + static_cast<float>(mantissa), exponent - 25);
}

static float fp8_to_float(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
  const float sign = (bits & 128) != 0 ? -1.f : 1.f;
  if (exponent == 15 && mantissa == 7) return NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -9);
  return sign * std::ldexp(8.f + static_cast<float>(mantissa), exponent - 10);
}

double element_as_double(const char* p, Dtype dtype) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, p, static_cast<std::size_t>(dtype_bytes(dtype)));
  switch (dtype) {
    case Dtype::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Dtype::bf16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case Dtype::f16: return half_to_float(static_cast<std::uint16_t>(bits));
    case Dtype::e4m3: return fp8_to_float(static_cast<std::uint8_t>(bits));
    case Dtype::i8: return static_cast<std::int8_t>(bits);
    case Dtype::i64: return static_cast<double>(static_cast<std::int64_t>(bits));
  }
  return NAN;
}

static void store_double(char* p, Dtype dtype, double value) {
  const auto f = static_cast<float>(value);
  const auto word = std::bit_cast<std::uint32_t>(f);
  std::uint64_t bits = word;
  if (dtype == Dtype::bf16) bits = word >> 16;  // callers give values that bf16 holds
  if (dtype == Dtype::f16) {  // infinities, NaN and small integers are all that is asked for
    bits = std::isnan(f) ? 0x7e00 : std::isinf(f) ? (f > 0 ? 0x7c00 : 0xfc00) : 0;
  }
  if (dtype == Dtype::i64) bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  std::memcpy(p, &bits, static_cast<std::size_t>(dtype_bytes(dtype)));
}

TensorSet::TensorSet(const Problem& problem, Layout layout, unsigned seed)
    : problem_(problem), layout_(layout) {
  for (const TensorSpec& t : problem.tensors) {
    const std::int64_t stride = t.cols + (t.strided ? layout.pad : 0), size = dtype_bytes(t.dtype);
    const std::int64_t shift = t.strided ? layout.shift : 0;
    buffers_.emplace_back(static_cast<std::size_t>((t.rows * stride + shift) * size + 2 * kGuardBytes));
    binding_.push_back({buffers_.back().data() + kGuardBytes + shift * size, stride});
  }
  fill(seed);
}

void TensorSet::fill(unsigned seed) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const TensorSpec& t = problem_.tensors[i];
    check_cuda(cudaMemset(buffers_[i].data(), 0xff, buffers_[i].bytes()), "poisoning");
    if (t.role == Role::output) continue;
    const bool paired = t.fill == Fill::angle_cos || t.fill == Fill::angle_sin;
    fill_random(binding_[i].data, t.dtype, t.rows, t.cols, binding_[i].row_stride, t.fill, t.scale,
                seed * 64 + (paired ? 63 : static_cast<unsigned>(i)), nullptr);
  }
  check_cuda(cudaDeviceSynchronize(), "filling");
}

std::vector<double> TensorSet::read_row(int tensor, std::int64_t row) const {
  const TensorSpec& t = problem_.tensors[tensor];
  const std::int64_t size = dtype_bytes(t.dtype);
  std::vector<char> raw(static_cast<std::size_t>(t.cols * size));
  const char* from =
      static_cast<const char*>(binding_[tensor].data) + row * binding_[tensor].row_stride * size;
  check_cuda(cudaMemcpy(raw.data(), from, raw.size(), cudaMemcpyDeviceToHost), "reading a row");
  std::vector<double> values(static_cast<std::size_t>(t.cols));
  for (std::int64_t c = 0; c < t.cols; ++c) values[c] = element_as_double(raw.data() + c * size, t.dtype);
  return values;
}

std::int64_t TensorSet::damaged_bytes() const {
  std::int64_t damaged = 0;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const TensorSpec& t = problem_.tensors[i];
    std::vector<char> raw(buffers_[i].bytes());
    check_cuda(cudaMemcpy(raw.data(), buffers_[i].data(), raw.size(), cudaMemcpyDeviceToHost),
               "reading guards");
    const std::int64_t size = dtype_bytes(t.dtype),
                       start = static_cast<char*>(binding_[i].data) - buffers_[i].data();
    const std::int64_t step = binding_[i].row_stride * size, used = t.cols * size;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(raw.size()); ++at) {
      const std::int64_t inside = at - start;
      const bool is_data = inside >= 0 && inside < t.rows * step && inside % step < used;
      damaged += !is_data && raw[at] != '\xff';
    }
  }
  return damaged;
}

std::vector<char> TensorSet::bytes_of(int tensor) const {
  const TensorSpec& t = problem_.tensors[tensor];
  const std::int64_t size = dtype_bytes(t.dtype);
  std::vector<char> raw(static_cast<std::size_t>(t.rows * t.cols * size));
  if (raw.empty()) return raw;
  check_cuda(cudaMemcpy2D(raw.data(), t.cols * size, binding_[tensor].data,
                          binding_[tensor].row_stride * size, t.cols * size, t.rows, cudaMemcpyDeviceToHost),
             "reading a tensor");
  return raw;
}

void TensorSet::poke(int tensor, std::int64_t row, std::int64_t col, double value) {
  const Dtype dtype = problem_.tensors[tensor].dtype;
  char bytes[8] = {};
  store_double(bytes, dtype, value);
  char* to = static_cast<char*>(binding_[tensor].data) +
             (row * binding_[tensor].row_stride + col) * dtype_bytes(dtype);
  check_cuda(cudaMemcpy(to, bytes, dtype_bytes(dtype), cudaMemcpyHostToDevice), "poking");
}

std::size_t TensorSet::total_bytes() const {
  std::size_t total = 0;
  for (const DeviceBuffer& b : buffers_) total += b.bytes();
  return total;
}

}  // namespace pagoda::bench
