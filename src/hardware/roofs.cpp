#include <algorithm>

#include "hardware/hardware.h"

namespace pagoda {
namespace {

double at(const std::array<double, kMathTypeCount>& peaks, MathType type) {
  return peaks[static_cast<std::size_t>(type)];
}

}  // namespace

// A format that a unit lacks is computed in fp32 there: bf16 on a V100, bf16 elementwise math anywhere.
double GpuSpec::roof_flops_per_s(MathType type, bool matrix) const {
  if (matrix && at(matrix_flops_per_s, type) > 0) return at(matrix_flops_per_s, type);
  if (at(vector_flops_per_s, type) > 0) return at(vector_flops_per_s, type);
  if (type == MathType::fp64) return at(matrix_flops_per_s, type);
  return at(vector_flops_per_s, MathType::fp32);
}

// Reads and writes share the bus, so times add: between two measured mixes the time per byte is
// interpolated.
double GpuSpec::attainable_bytes_per_s(double bytes_read, double bytes_written) const {
  const double copy = measured_copy_bytes_per_s.value_or(dram_bytes_per_s);
  if (copy <= 0) return 0;
  const double read = measured_read_bytes_per_s.value_or(copy);
  const double write = measured_write_bytes_per_s.value_or(copy);
  const double total = bytes_read + bytes_written;
  const double written = total > 0 ? std::clamp(bytes_written / total, 0.0, 1.0) : 0.5;
  const double weight = written <= 0.5 ? written / 0.5 : (1 - written) / 0.5;  // of the copy's mix
  const double pure = written <= 0.5 ? read : write;
  return 1 / (weight / copy + (1 - weight) / pure);
}

double GpuSpec::attainable_flops_per_s(MathType type, bool matrix) const {
  const double roof = roof_flops_per_s(type, matrix);
  if (!matrix || at(matrix_flops_per_s, type) <= 0) return roof;
  if (at(measured_matmul_flops_per_s, type) > 0) return at(measured_matmul_flops_per_s, type);
  // Power limits fp16 and bf16 alike: one stands for the other where their peaks agree.
  const MathType twin = type == MathType::fp16 ? MathType::bf16 : MathType::fp16;
  const bool half = type == MathType::fp16 || type == MathType::bf16;
  if (half && at(measured_matmul_flops_per_s, twin) > 0 && at(matrix_flops_per_s, twin) == roof) {
    return at(measured_matmul_flops_per_s, twin);
  }
  return roof;
}

}  // namespace pagoda
