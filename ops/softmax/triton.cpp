// Launches of softmax/triton.py.
#include "common/check.h"
#include "common/triton_launch.h"
#include "softmax/op.h"

namespace pagoda::ops::triton {

static const TritonCubin& variant(const char* name, Dtype dtype, bool aligned, int block) {
  return triton_cubin(std::string(name) + "/" + std::string(dtype_name(dtype)) +
                      (block > 0 ? "/" + std::to_string(block) : std::string("/loop")) +
                      (aligned ? "/aligned" : "/generic"));
}

void softmax_forward(const SoftmaxForward& a, Stream stream) {
  const bool aligned = triton_aligned(a.x) && triton_aligned(a.y);
  const TritonCubin& cubin =
      variant("softmax_forward", a.x.dtype, aligned, aligned ? triton_row_block(a.x.cols, 32768) : 0);
  TritonArguments args(a.x.data, static_cast<const void*>(a.y.data), a.x.rows,
                       static_cast<std::int32_t>(a.x.cols), a.x.row_stride, a.y.row_stride);
  launch_triton(cubin, (a.x.rows + cubin.rows - 1) / cubin.rows, 1, args, stream);
}

void softmax_backward(const SoftmaxBackward& a, Stream stream) {
  const bool aligned = triton_aligned(a.dy) && triton_aligned(a.y) && triton_aligned(a.dx);
  const TritonCubin& cubin =
      variant("softmax_backward", a.y.dtype, aligned, aligned ? triton_row_block(a.y.cols, 16384) : 0);
  TritonArguments args(a.dy.data, a.y.data, static_cast<const void*>(a.dx.data), a.y.rows,
                       static_cast<std::int32_t>(a.y.cols), a.dy.row_stride, a.y.row_stride, a.dx.row_stride);
  launch_triton(cubin, (a.y.rows + cubin.rows - 1) / cubin.rows, 1, args, stream);
}

}  // namespace pagoda::ops::triton
