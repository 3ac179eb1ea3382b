#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/account.h"
#include "trace/trace.h"

namespace pagoda {

/// What a run of GPU events computes, as an author of kernels would name it.
enum class OperatorKind : std::uint8_t {
  rms_norm,
  add_rms_norm,  ///< residual add and the norm that follows it
  layer_norm,
  group_norm,  ///< group, batch and instance norm
  swiglu,
  geglu,
  activation,  ///< one activation that is not gated
  rope,
  attention,  ///< scores to output: one fused kernel or the whole chain of matmul, mask, softmax, matmul
  repeat_kv,  ///< copies that repeat K and V for grouped queries
  softmax,
  cross_entropy,  ///< loss over the vocabulary, with its log-softmax and casts
  loss,           ///< other losses
  cast,           ///< dtype changes that belong to nothing above
  optimizer,
  quantize,
  moe,   ///< routing, permutation and grouped GEMM of a mixture of experts
  gemm,  ///< matmul with more rows than a vector
  gemv,  ///< matmul whose one operand is a few vectors: weights read once, memory-bound
  embedding,
  convolution,
  kv_cache,     ///< append to the cache: cat, index_copy, reshape_and_cache
  sampling,     ///< argmax, top-k, multinomial over the logits
  elementwise,  ///< a chain of elementwise kernels with no better name: a fusion group when longer than one
  copy,         ///< layout changes, slices made contiguous, transfers
  reduction,
  gather,  ///< index, gather, scatter
  fill,    ///< memsets and constant fills
  collective,
  other,  ///< not recognised
};
inline constexpr std::size_t kOperatorKindCount = static_cast<std::size_t>(OperatorKind::other) + 1;
/// "rms_norm", "add_rms_norm"...: the `operator` of pagoda.plan/1.
std::string_view operator_kind_name(OperatorKind kind);

/// How an operator was recognised, best first.
enum class RecognisedBy : std::uint8_t {
  module,    ///< an nn.Module, python frame or annotation around all its kernels
  op,        ///< the op is the operator: aten::_softmax, aten::mm
  sequence,  ///< consecutive ops with fitting shapes and dtypes
  kernel,    ///< the kernel's name only: inside a graph, or no shapes
  none
};
std::string_view recognised_by_name(RecognisedBy how);

/// One execution of one operator: all GPU events that a single fused kernel would replace.
struct OperatorInstance {
  OperatorKind kind = OperatorKind::other;
  Phase phase = Phase::unknown;
  RecognisedBy how = RecognisedBy::none;
  float confidence_fraction = 0;  ///< 1: certain; 0.5: by kernel name only
  std::uint32_t first_event = 0;  ///< into Explanation::instance_events
  std::uint32_t event_count = 0;  ///< its GPU events, in time order, never shared with another instance
  std::uint32_t group = kNone;    ///< row of Explanation::groups
  Nanos time_ns = 0;              ///< sum of durations of its GPU events
  double flops = -1;              ///< what its kernels compute now; -1 unknown (any kernel without a model)
  double bytes = -1;              ///< DRAM bytes that its kernels move now (L2 hits taken off); -1 unknown
  double l2_bytes = 0;            ///< bytes its kernels re-read from L2, in addition to `bytes`
  double floor_bytes = -1;  ///< DRAM bytes one fused kernel must move: its inputs once, its outputs once
  double floor_flops = -1;  ///< FLOP one fused kernel must do; causal attention: the lower triangle only
};

}  // namespace pagoda
