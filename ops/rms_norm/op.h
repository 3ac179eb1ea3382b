#pragma once
#include <cstddef>

#include "common/tensor.h"

namespace pagoda::ops {

/// Where the rounding to the activation dtype happens.
/// none:  y = round(x * rstd * w)            (one rounding, the most exact)
/// llama: y = round(round(x * rstd) * w)     (bit-compatible with Hugging Face's LlamaRMSNorm)
/// gemma: y = round(x * rstd * (1 + w))      (Hugging Face's GemmaRMSNorm)
enum class CastingMode : unsigned char { none, llama, gemma };

/// y = x / sqrt(mean(x^2) + eps) * w over each row; with `residual`, h = round(x + residual) is normalised
/// instead and written to `residual_out`.
///
/// Shapes: every matrix rows x cols with its own row stride; weight cols, of x's dtype or fp32.
/// Dtypes: fp32, fp16, bf16; all matrices alike; sums in fp32. `rstd` (fp32, rows) is written unless null.
/// Traffic: 2 accesses an element (4 with residual). Limits: cols < 2^31; rows may be 0.
struct RmsNormForward {
  ConstMatrix x;
  ConstVector weight;
  Matrix y;
  float eps = 0;  ///< no hidden default: 0 is legal
  CastingMode mode = CastingMode::none;
  float* rstd = nullptr;
  ConstMatrix residual{};
  Matrix residual_out{};
};
void rms_norm_forward(Tier tier, const RmsNormForward& args, Stream stream);

/// dx = rstd * (w*dy - xhat * mean(w*dy*xhat)) [+ dresidual], dweight = sum over rows of dy * xhat.
///
/// `x` is what was normalised (residual_out of the fused forward). `dresidual`, the gradient that reaches
/// residual_out directly, is added into dx when given; `dweight` may be absent. `dy` is never written.
/// Traffic: 3 accesses an element (4 with dresidual). `workspace` needs `rms_norm_backward_workspace_bytes`.
struct RmsNormBackward {
  ConstMatrix dy;
  ConstMatrix x;
  ConstVector weight;
  const float* rstd = nullptr;
  Matrix dx;
  Vector dweight{};
  CastingMode mode = CastingMode::none;
  ConstMatrix dresidual{};
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};
std::size_t rms_norm_backward_workspace_bytes(Tier tier, const RmsNormBackward& args);
void rms_norm_backward(Tier tier, const RmsNormBackward& args, Stream stream);

/// The tiers themselves: arguments already checked, rows > 0.
namespace cuda {
void rms_norm_forward(const RmsNormForward& args, Stream stream);
std::size_t rms_norm_backward_workspace_bytes(const RmsNormBackward& args);
void rms_norm_backward(const RmsNormBackward& args, Stream stream);
}  // namespace cuda
namespace triton {
void rms_norm_forward(const RmsNormForward& args, Stream stream);
std::size_t rms_norm_backward_workspace_bytes(const RmsNormBackward& args);
void rms_norm_backward(const RmsNormBackward& args, Stream stream);
}  // namespace triton

}  // namespace pagoda::ops
