// Launches of quantize/triton.py.
#include "common/check.h"
#include "common/triton_launch.h"
#include "quantize/op.h"

namespace pagoda::ops::triton {

void quantize(const Quantize& a, Stream stream) {
  const bool aligned =
      triton_aligned(a.x) && triton_aligned(a.q) && reinterpret_cast<std::uintptr_t>(a.scales) % 16 == 0;
  const int block = aligned ? triton_row_block(a.x.cols, 16384) : 0;
  const bool fp8 = a.q.dtype == Dtype::e4m3;
  const TritonCubin& cubin = triton_cubin(
      "quantize/" + std::string(dtype_name(a.x.dtype)) + (fp8 ? "/fp8" : "/int8") +
      (block > 0 ? "/" + std::to_string(block) : std::string("/loop")) + (aligned ? "/aligned" : "/generic"));
  TritonArguments args(a.x.data, static_cast<const void*>(a.q.data), static_cast<const void*>(a.scales),
                       a.x.rows, static_cast<std::int32_t>(a.x.cols), a.x.row_stride, a.q.row_stride,
                       fp8 ? 448.f : 127.f);
  launch_triton(cubin, (a.x.rows + cubin.rows - 1) / cubin.rows, 1, args, stream);
}

}  // namespace pagoda::ops::triton
