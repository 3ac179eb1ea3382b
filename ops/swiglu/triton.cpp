// Launches of swiglu/triton.py.
#include "common/check.h"
#include "common/triton_launch.h"
#include "swiglu/op.h"

namespace pagoda::ops::triton {
namespace {

// Contiguous tensors are walked as one long row.
struct Walk {
  bool aligned = true;
  bool flat = true;
  std::int64_t rows = 0, cols = 0;
};

Walk walk(std::initializer_list<ConstMatrix> matrices) {
  Walk w;
  w.rows = matrices.begin()->rows;
  w.cols = matrices.begin()->cols;
  for (const ConstMatrix& m : matrices) w.flat = w.flat && (m.rows <= 1 || m.row_stride == m.cols);
  if (w.flat) {
    w.cols *= w.rows;
    w.rows = 1;
  }
  for (const ConstMatrix& m : matrices) {
    const bool pointer = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0;
    w.aligned = w.aligned && pointer && w.cols % 16 == 0 && (w.flat || m.row_stride % 16 == 0);
  }
  return w;
}

std::string key(const char* name, Dtype dtype, Activation activation, const Walk& w) {
  return std::string(name) + "/" + std::string(dtype_name(dtype)) + "/" +
         std::to_string(static_cast<int>(activation)) + (w.aligned ? "/aligned" : "/generic");
}

}  // namespace

void swiglu_forward(const SwigluForward& a, Stream stream) {
  const Walk w = walk({a.gate, a.up, ConstMatrix(a.out)});
  const TritonCubin& cubin = triton_cubin(key("swiglu_forward", a.gate.dtype, a.activation, w));
  const std::int64_t blocks = (w.cols + cubin.block - 1) / cubin.block;
  const auto stride = [&](std::int64_t s) { return w.flat ? 0 : s; };
  TritonArguments args(a.gate.data, a.up.data, static_cast<const void*>(a.out.data), w.cols,
                       stride(a.gate.row_stride), stride(a.up.row_stride), stride(a.out.row_stride), blocks);
  launch_triton(cubin, w.rows * blocks, 1, args, stream);
}

void swiglu_backward(const SwigluBackward& a, Stream stream) {
  const Walk w = walk({a.dout, a.gate, a.up, ConstMatrix(a.dgate), ConstMatrix(a.dup)});
  const TritonCubin& cubin = triton_cubin(key("swiglu_backward", a.gate.dtype, a.activation, w));
  const std::int64_t blocks = (w.cols + cubin.block - 1) / cubin.block;
  const auto stride = [&](std::int64_t s) { return w.flat ? 0 : s; };
  TritonArguments args(a.dout.data, a.gate.data, a.up.data, static_cast<const void*>(a.dgate.data),
                       static_cast<const void*>(a.dup.data), w.cols, stride(a.dout.row_stride),
                       stride(a.gate.row_stride), stride(a.up.row_stride), stride(a.dgate.row_stride),
                       stride(a.dup.row_stride), blocks);
  launch_triton(cubin, w.rows * blocks, 1, args, stream);
}

}  // namespace pagoda::ops::triton
