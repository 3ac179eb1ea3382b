#pragma once
#include <cstddef>

#include "common/tensor.h"

namespace pagoda::ops {

enum class Reduction : unsigned char { none, sum, mean };

/// Loss of each row of logits against its target class:
///   loss = (1 - smoothing) * (lse - x[target]) + smoothing * (lse - mean(x)) + z_loss * lse^2
/// and 0 for a row whose target is `ignore_index`. A target outside [0, cols) gives NaN.
///
/// `logits` rows x cols, fp32, fp16 or bf16, own row stride; `targets` int64, rows; sums in fp32.
/// `losses` (fp32, rows) is always written, `lse` (fp32, rows) unless null; `total` (fp32, 1) unless the
/// reduction is none: the sum, or the mean over rows not ignored (NaN when there are none, as in torch).
/// With `dlogits` (may be `logits`: in place) the gradient of the reduced loss, times `grad_scale`, is
/// written too; ignored rows get zeros. The gradient of the target class is -(sum of the others), without the
/// cancellation of p - 1. Traffic: 1 access an element, 2 with dlogits. `workspace`: 16 bytes.
struct CrossEntropy {
  ConstMatrix logits;
  const std::int64_t* targets = nullptr;
  float* losses = nullptr;
  float* lse = nullptr;
  float* total = nullptr;
  Matrix dlogits{};
  Reduction reduction = Reduction::mean;
  std::int64_t ignore_index = -100;
  float smoothing = 0;
  float z_loss = 0;
  float grad_scale = 1;
  void* workspace = nullptr;
};
constexpr std::size_t kCrossEntropyWorkspaceBytes = 16;
void cross_entropy(Tier tier, const CrossEntropy& args, Stream stream);

namespace cuda {
void cross_entropy(const CrossEntropy& args, Stream stream);
/// The parts around the rows, shared by the tiers: 1 / (rows not ignored) into `scale`, and the total.
void count_targets(const CrossEntropy& args, float* scale, Stream stream);
void reduce_losses(const CrossEntropy& args, const float* scale, Stream stream);
}  // namespace cuda
namespace triton {
void cross_entropy(const CrossEntropy& args, Stream stream);
}

}  // namespace pagoda::ops
