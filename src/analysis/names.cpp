#include <array>

#include "analysis/roofline.h"

namespace pagoda {

std::string_view operator_kind_name(OperatorKind kind) {
  constexpr std::array<std::string_view, kOperatorKindCount> kNames = {
      "rms_norm",   "add_rms_norm", "layer_norm",  "group_norm", "swiglu",     "geglu",
      "activation", "rope",         "attention",   "repeat_kv",  "softmax",    "cross_entropy",
      "loss",       "cast",         "optimizer",   "quantize",   "moe",        "gemm",
      "gemv",       "embedding",    "convolution", "kv_cache",   "sampling",   "elementwise",
      "copy",       "reduction",    "gather",      "fill",       "collective", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view recognised_by_name(RecognisedBy how) {
  constexpr std::array<std::string_view, 5> kNames = {"module", "op", "sequence", "kernel", "none"};
  return kNames[static_cast<std::size_t>(how)];
}

std::string_view known_by_name(KnownBy how) {
  constexpr std::array<std::string_view, 4> kNames = {"counters", "modelled", "name", "none"};
  return kNames[static_cast<std::size_t>(how)];
}

}  // namespace pagoda
