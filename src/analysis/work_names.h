#pragma once
#include <string_view>

#include "analysis/patterns.h"

namespace pagoda {

/// What one op or kernel does, as far as sequences of them need to know.
enum class Role : std::uint8_t {
  none,
  copy,  ///< same or other type: a cast is a copy between types
  power,
  mean,
  add,
  rsqrt,
  multiply,
  divide,
  negate,
  join,
  silu,
  gelu,
  select,  ///< where, masked_fill
  matmul,
  softmax,
  log_softmax,
  nll,
  dropout,
  fill,
};

/// By ATen name ("aten::mul_"); none for ops that play no part in a sequence.
Role role_of_op(std::string_view op_name);
/// By the name of a kernel of torch or of a GEMM library.
Role role_of_kernel(std::string_view kernel_name);

/// Operator that an op is by itself ("aten::_softmax" -> softmax); `other` where its name does not tell.
OperatorKind kind_of_op(std::string_view op_name);
/// Operator that a kernel belongs to by its name: torch, cuBLAS, cuDNN, CUTLASS, hipBLASLt, MIOpen, CK,
/// AITER, FlashAttention, FlashInfer, vLLM, SGLang, FBGEMM, NCCL, Inductor ("triton_poi_fused_..."). `other`
/// if none.
OperatorKind kind_of_kernel(std::string_view kernel_name);
/// Operator whose whole code runs inside a scope of this name: "nn.Module: LlamaRMSNorm_3",
/// "modeling_llama.py(120): apply_rotary_pos_emb". `other` for every other scope.
OperatorKind kind_of_region(std::string_view scope_name);

/// Bytes of the element type that a kernel's template arguments name (OpaqueType<2u>, c10::BFloat16, float);
/// 0 where none does.
int element_bytes_in_name(std::string_view kernel_name);
/// The kernel multiplies fp32 on tensor cores (TF32), or in plain FMA units (simt, sgemm).
bool is_tf32_kernel(std::string_view kernel_name);
bool is_simt_gemm(std::string_view kernel_name);

}  // namespace pagoda
