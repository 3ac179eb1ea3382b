// Launches of rms_norm/triton.py: which variant, which grid.
#include <algorithm>

#include "common/check.h"
#include "common/triton_launch.h"
#include "rms_norm/op.h"

namespace pagoda::ops::triton {
namespace {

std::string stem(const char* name, Dtype dtype, Dtype weight, bool add) {
  return std::string(name) + "/" + std::string(dtype_name(dtype)) + "/" + std::string(dtype_name(weight)) +
         "/" + (add ? "1" : "0");
}

std::string variant(bool aligned, int block) {
  return (block > 0 ? "/" + std::to_string(block) : std::string("/loop")) +
         (aligned ? "/aligned" : "/generic");
}

float weight_offset(CastingMode mode) { return mode == CastingMode::gemma ? 1.f : 0.f; }

bool aligned_vector(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

bool forward_aligned(const RmsNormForward& a) {
  return triton_aligned(a.x) && triton_aligned(a.y) && aligned_vector(a.weight.data) &&
         aligned_vector(a.rstd) &&
         (!a.residual || (triton_aligned(a.residual) && triton_aligned(a.residual_out)));
}

bool backward_aligned(const RmsNormBackward& a) {
  return triton_aligned(a.x) && triton_aligned(a.dy) && triton_aligned(a.dx) &&
         aligned_vector(a.weight.data) && aligned_vector(a.rstd) && aligned_vector(a.workspace) &&
         (!a.dresidual || triton_aligned(a.dresidual));
}

int backward_block(const RmsNormBackward& a) {
  return backward_aligned(a) ? triton_row_block(a.x.cols, 8192) : 0;
}

// Programs of the persistent backward, each of which leaves one row of partial sums.
constexpr std::int64_t kLoopPartialRows = 64;
std::int64_t backward_programs(const RmsNormBackward& a, int block) {
  if (block == 0) return std::min(a.x.rows, kLoopPartialRows);
  const std::int64_t per_sm = std::clamp(16384 / block, 1, 8);
  return std::min(device_facts().multiprocessors * per_sm, a.x.rows);
}

}  // namespace

void rms_norm_forward(const RmsNormForward& a, Stream stream) {
  const bool aligned = forward_aligned(a);
  const int block = aligned ? triton_row_block(a.x.cols, 16384) : 0;
  const TritonCubin& cubin = triton_cubin(
      stem("rms_norm_forward", a.x.dtype, a.weight.dtype, bool(a.residual)) + variant(aligned, block));
  TritonArguments args(a.x.data, a.residual.data, a.weight.data, static_cast<const void*>(a.y.data),
                       static_cast<const void*>(a.residual_out.data), static_cast<const void*>(a.rstd),
                       a.x.rows, static_cast<std::int32_t>(a.x.cols), a.x.row_stride, a.residual.row_stride,
                       a.y.row_stride, a.residual_out.row_stride, a.eps, weight_offset(a.mode),
                       std::int32_t{a.mode == CastingMode::llama}, std::int32_t{a.rstd != nullptr});
  launch_triton(cubin, (a.x.rows + cubin.rows - 1) / cubin.rows, 1, args, stream);
}

std::size_t rms_norm_backward_workspace_bytes(const RmsNormBackward& a) {
  // An unaligned workspace would change the path: ask for the larger of the two.
  const std::int64_t rows =
      std::max(backward_programs(a, 0), backward_programs(a, triton_row_block(a.x.cols, 8192)));
  return static_cast<std::size_t>(rows * a.x.cols) * sizeof(float);
}

void rms_norm_backward(const RmsNormBackward& a, Stream stream) {
  const bool aligned = backward_aligned(a);
  const int block = backward_block(a);
  const auto programs = backward_programs(a, block);
  const auto cols = static_cast<std::int32_t>(a.x.cols);
  const std::int32_t round_first{a.mode == CastingMode::llama};
  const TritonCubin& cubin = triton_cubin(
      stem("rms_norm_backward", a.x.dtype, a.weight.dtype, bool(a.dresidual)) + variant(aligned, block));
  TritonArguments args(a.dy.data, a.x.data, a.weight.data, static_cast<const void*>(a.rstd), a.dresidual.data,
                       static_cast<const void*>(a.dx.data), static_cast<const void*>(a.workspace), a.x.rows,
                       cols, a.dy.row_stride, a.x.row_stride, a.dresidual.row_stride, a.dx.row_stride,
                       weight_offset(a.mode), round_first, std::int32_t{bool(a.dweight)});
  launch_triton(
      cubin,
      block > 0 ? std::min<std::int64_t>(programs, (a.x.rows + cubin.rows - 1) / cubin.rows) : a.x.rows, 1,
      args, stream);
  if (!a.dweight) return;
  const std::string dtype(dtype_name(a.x.dtype)), weight(dtype_name(a.weight.dtype));
  std::int64_t partial_rows = programs;
  if (block == 0) {
    const TritonCubin& pass = triton_cubin("rms_norm_dweight/" + dtype);
    TritonArguments more(a.dy.data, a.x.data, static_cast<const void*>(a.rstd),
                         static_cast<const void*>(a.workspace), a.x.rows, cols, a.dy.row_stride,
                         a.x.row_stride, round_first);
    launch_triton(pass, (a.x.cols + pass.block - 1) / pass.block, programs, more, stream);
  } else {
    partial_rows = std::min<std::int64_t>(programs, (a.x.rows + cubin.rows - 1) / cubin.rows);
  }
  const TritonCubin& sum = triton_cubin("column_sum/" + weight + "/" + dtype);
  TritonArguments last(static_cast<const void*>(a.workspace), static_cast<const void*>(a.dweight.data),
                       static_cast<std::int32_t>(partial_rows), cols);
  launch_triton(sum, (a.x.cols + sum.block - 1) / sum.block, 1, last, stream);
}

}  // namespace pagoda::ops::triton
