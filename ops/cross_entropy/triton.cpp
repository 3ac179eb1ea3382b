// Launches of cross_entropy/triton.py. Counting targets and adding losses are a row of work each and shared
// with the CUDA tier.
#include "common/check.h"
#include "common/triton_launch.h"
#include "cross_entropy/op.h"

namespace pagoda::ops::triton {

void cross_entropy(const CrossEntropy& a, Stream stream) {
  auto* scale = a.reduction == Reduction::mean ? static_cast<float*>(a.workspace) : nullptr;
  if (scale != nullptr) cuda::count_targets(a, scale, stream);
  const auto multiple = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool aligned = triton_aligned(a.logits) && (!a.dlogits || triton_aligned(a.dlogits)) &&
                       multiple(a.targets) && multiple(a.losses) && multiple(a.lse) && multiple(scale);
  const TritonCubin& cubin = triton_cubin("cross_entropy/" + std::string(dtype_name(a.logits.dtype)) +
                                          (a.dlogits ? "/1" : "/0") + (aligned ? "/aligned" : "/generic"));
  TritonArguments args(a.logits.data, static_cast<const void*>(a.targets), static_cast<const void*>(a.losses),
                       static_cast<const void*>(a.lse), static_cast<const void*>(a.dlogits.data),
                       static_cast<const void*>(scale), static_cast<std::int32_t>(a.logits.cols),
                       a.logits.row_stride, a.dlogits.row_stride, a.ignore_index, a.smoothing, a.z_loss,
                       a.grad_scale, std::int32_t{a.lse != nullptr}, std::int32_t{scale != nullptr});
  launch_triton(cubin, a.logits.rows, 1, args, stream);
  if (a.reduction != Reduction::none) cuda::reduce_losses(a, scale, stream);
}

}  // namespace pagoda::ops::triton
