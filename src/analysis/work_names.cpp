#include "analysis/work_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

using Kind = OperatorKind;

template <class Value>
struct Named {
  std::string_view text;
  Value value;
};

/// What tells kernels apart stands early; template arguments may go on for thousands of characters.
constexpr std::size_t kNameLength = 1024;

std::string lower(std::string_view text) {
  std::string result(text.substr(0, kNameLength));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <class Value, std::size_t N>
Value first_contained(const std::array<Named<Value>, N>& table, std::string_view text, Value otherwise) {
  for (const auto& row : table) {
    if (has(text, row.text)) return row.value;
  }
  return otherwise;
}

template <class Value, std::size_t N>
Value equal_name(const std::array<Named<Value>, N>& table, std::string_view text, Value otherwise) {
  for (const auto& row : table) {
    if (row.text == text) return row.value;
  }
  return otherwise;
}

constexpr std::array<Named<Role>, 38> kOpRoles = {{
    {"copy", Role::copy},
    {"clone", Role::copy},
    {"_to_copy", Role::copy},
    {"contiguous", Role::copy},
    {"pow", Role::power},
    {"square", Role::power},
    {"mean", Role::mean},
    {"add", Role::add},
    {"rsqrt", Role::rsqrt},
    {"mul", Role::multiply},
    {"div", Role::divide},
    {"neg", Role::negate},
    {"cat", Role::join},
    {"silu", Role::silu},
    {"gelu", Role::gelu},
    {"where", Role::select},
    {"masked_fill", Role::select},
    {"mm", Role::matmul},
    {"bmm", Role::matmul},
    {"matmul", Role::matmul},
    {"baddbmm", Role::matmul},
    {"addmm", Role::matmul},
    {"linear", Role::matmul},
    {"_scaled_mm", Role::matmul},
    {"_softmax", Role::softmax},
    {"softmax", Role::softmax},
    {"_safe_softmax", Role::softmax},
    {"_log_softmax", Role::log_softmax},
    {"log_softmax", Role::log_softmax},
    {"nll_loss_forward", Role::nll},
    {"nll_loss2d_forward", Role::nll},
    {"nll_loss", Role::nll},
    {"native_dropout", Role::dropout},
    {"fill", Role::fill},
    {"zero", Role::fill},
    {"einsum", Role::matmul},
    {"_int_mm", Role::matmul},
    {"mv", Role::matmul},
}};

// In lower case, first match wins.
constexpr std::array<Named<Role>, 24> kKernelRoles = {{
    {"log_softmax", Role::log_softmax},
    {"logsoftmaxforward", Role::log_softmax},
    {"softmax_backward", Role::none},
    {"softmaxbackward", Role::none},
    {"softmax_warp_forward", Role::softmax},
    {"softmaxforward", Role::softmax},
    {"nll_loss_forward", Role::nll},
    {"pow_tensor_scalar", Role::power},
    {"meanops", Role::mean},
    {"rsqrt_kernel", Role::rsqrt},
    {"neg_kernel", Role::negate},
    {"catarraybatchedcopy", Role::join},
    {"silu_backward", Role::none},
    {"silu_kernel", Role::silu},
    {"gelu", Role::gelu},
    {"where_kernel", Role::select},
    {"masked_fill", Role::select},
    {"functor_add", Role::add},
    {"functoronself_add", Role::add},
    {"mulfunctor", Role::multiply},
    {"divfunctor", Role::divide},
    {"_copy_kernel", Role::copy},
    {"dropout", Role::dropout},
    {"fillfunctor", Role::fill},
}};

constexpr std::array<Named<Kind>, 92> kOpKinds = {{
    {"mm", Kind::gemm},
    {"bmm", Kind::gemm},
    {"matmul", Kind::gemm},
    {"addmm", Kind::gemm},
    {"baddbmm", Kind::gemm},
    {"linear", Kind::gemm},
    {"_scaled_mm", Kind::gemm},
    {"_int_mm", Kind::gemm},
    {"einsum", Kind::gemm},
    {"_weight_int4pack_mm", Kind::gemm},
    {"_addmm_activation", Kind::gemm},
    {"mv", Kind::gemv},
    {"addmv", Kind::gemv},
    {"dot", Kind::gemv},
    {"vdot", Kind::gemv},
    {"_grouped_mm", Kind::moe},
    {"_scaled_grouped_mm", Kind::moe},
    {"_softmax", Kind::softmax},
    {"_softmax_backward_data", Kind::softmax},
    {"_safe_softmax", Kind::softmax},
    {"_log_softmax", Kind::softmax},
    {"_log_softmax_backward_data", Kind::softmax},
    {"softmax", Kind::softmax},
    {"log_softmax", Kind::softmax},
    {"rms_norm", Kind::rms_norm},
    {"_fused_rms_norm", Kind::rms_norm},
    {"_fused_rms_norm_backward", Kind::rms_norm},
    {"native_layer_norm", Kind::layer_norm},
    {"native_layer_norm_backward", Kind::layer_norm},
    {"silu", Kind::activation},
    {"gelu", Kind::activation},
    {"relu", Kind::activation},
    {"tanh", Kind::activation},
    {"sigmoid", Kind::activation},
    {"hardswish", Kind::activation},
    {"mish", Kind::activation},
    {"elu", Kind::activation},
    {"leaky_relu", Kind::activation},
    {"softplus", Kind::activation},
    {"hardtanh", Kind::activation},
    {"clamp_min", Kind::activation},
    {"threshold", Kind::activation},
    {"silu_backward", Kind::activation},
    {"gelu_backward", Kind::activation},
    {"tanh_backward", Kind::activation},
    {"sigmoid_backward", Kind::activation},
    {"threshold_backward", Kind::activation},
    {"glu", Kind::activation},
    {"nll_loss_forward", Kind::loss},
    {"nll_loss_backward", Kind::loss},
    {"mse_loss", Kind::loss},
    {"mse_loss_backward", Kind::loss},
    {"smooth_l1_loss", Kind::loss},
    {"binary_cross_entropy", Kind::loss},
    {"binary_cross_entropy_backward", Kind::loss},
    {"kl_div", Kind::loss},
    {"embedding", Kind::embedding},
    {"embedding_dense_backward", Kind::embedding},
    {"embedding_backward", Kind::embedding},
    {"_embedding_bag", Kind::embedding},
    {"_embedding_bag_dense_backward", Kind::embedding},
    {"argmax", Kind::sampling},
    {"multinomial", Kind::sampling},
    {"topk", Kind::sampling},
    {"exponential", Kind::sampling},
    {"index", Kind::gather},
    {"index_select", Kind::gather},
    {"gather", Kind::gather},
    {"scatter", Kind::gather},
    {"scatter_add", Kind::gather},
    {"index_add", Kind::gather},
    {"index_put", Kind::gather},
    {"_index_put_impl", Kind::gather},
    {"index_copy", Kind::kv_cache},
    {"copy", Kind::copy},
    {"clone", Kind::copy},
    {"_to_copy", Kind::copy},
    {"contiguous", Kind::copy},
    {"cat", Kind::copy},
    {"stack", Kind::copy},
    {"fill", Kind::fill},
    {"zero", Kind::fill},
    {"arange", Kind::fill},
    {"normal", Kind::fill},
    {"uniform", Kind::fill},
    {"random", Kind::fill},
    {"sort", Kind::reduction},
    {"cumsum", Kind::reduction},
    {"nonzero", Kind::gather},
    {"native_dropout", Kind::elementwise},
    {"masked_select", Kind::gather},
    {"_local_scalar_dense", Kind::copy},
}};

// Names of ops and kernels of every library, in lower case; first match wins, so the special come first.
constexpr std::array<Named<Kind>, 164> kNames = {{
    {"nccl", Kind::collective},
    {"rccl", Kind::collective},
    {"cross_device_reduce", Kind::collective},
    {"allreduce", Kind::collective},
    {"all_reduce", Kind::collective},
    {"multimem_", Kind::collective},
    {"nvshmem", Kind::collective},
    {"deep_ep", Kind::collective},
    {"allgather", Kind::collective},
    {"reduce_scatter", Kind::collective},
    {"all_to_all", Kind::collective},
    // mixture of experts before its GEMMs and activations
    {"moe", Kind::moe},
    {"matmul_ogs", Kind::moe},
    {"finalize_matmul_scatter", Kind::moe},
    {"routing", Kind::moe},
    {"grouped_gemm", Kind::moe},
    {"group_gemm", Kind::moe},
    {"expert", Kind::moe},
    {"_topk_forward", Kind::moe},
    {"sum_bitmatrix", Kind::moe},
    {"topk_softmax", Kind::moe},
    {"topkgating", Kind::moe},
    {"silu_and_mul_masked", Kind::moe},
    // cache before attention, attention before GEMM
    {"paged_attention", Kind::attention},
    {"unified_attention", Kind::attention},
    {"batchdecode", Kind::attention},
    {"batchprefill", Kind::attention},
    {"reshape_and_cache", Kind::kv_cache},
    {"store_kvcache", Kind::kv_cache},
    {"kv_cache", Kind::kv_cache},
    {"kvcache", Kind::kv_cache},
    {"concat_and_cache", Kind::kv_cache},
    {"kv_indices", Kind::kv_cache},
    {"append_paged", Kind::kv_cache},
    {"copy_blocks", Kind::kv_cache},
    {"swap_blocks", Kind::kv_cache},
    {"flash_fwd", Kind::attention},
    {"flash_bwd", Kind::attention},
    {"fmha", Kind::attention},
    {"attention", Kind::attention},
    {"attn_fwd", Kind::attention},
    {"attn_bwd", Kind::attention},
    {"_attn", Kind::attention},
    {"flash_attn", Kind::attention},
    {"flashattn", Kind::attention},
    {"sdpa", Kind::attention},
    {"singleprefill", Kind::attention},
    {"singledecode", Kind::attention},
    {"reduce_segments", Kind::attention},
    {"mergestate", Kind::attention},
    {"merge_state", Kind::attention},
    {"flash_mla", Kind::attention},
    {"mla_", Kind::attention},
    {"compute_dot_do_o", Kind::attention},
    {"convert_dq_to", Kind::attention},
    {"cudnn::fusion", Kind::attention},
    {"_fwd_grouped_kernel_stage", Kind::attention},
    {"mha_", Kind::attention},
    {"rotary", Kind::rope},
    {"rope_", Kind::rope},
    {"_rope", Kind::rope},
    {"applyrope", Kind::rope},
    {"add_rmsnorm", Kind::add_rms_norm},
    {"fused_add_rms_norm", Kind::add_rms_norm},
    {"addrmsnorm", Kind::add_rms_norm},
    {"add_rms_norm", Kind::add_rms_norm},
    {"rms_norm", Kind::rms_norm},
    {"rmsnorm", Kind::rms_norm},
    {"layer_norm", Kind::layer_norm},
    {"layernorm", Kind::layer_norm},
    {"gammabetabackward", Kind::layer_norm},
    {"ln_fwd", Kind::layer_norm},
    {"ln_bwd", Kind::layer_norm},
    {"gradgammabeta", Kind::layer_norm},
    {"batch_norm", Kind::group_norm},
    {"batchnorm", Kind::group_norm},
    {"bn_fw", Kind::group_norm},
    {"bn_bw", Kind::group_norm},
    {"bnfwd", Kind::group_norm},
    {"bnbwd", Kind::group_norm},
    {"group_norm", Kind::group_norm},
    {"groupnorm", Kind::group_norm},
    {"instance_norm", Kind::group_norm},
    {"rowwisemoments", Kind::group_norm},
    {"cross_entropy", Kind::cross_entropy},
    {"crossentropy", Kind::cross_entropy},
    {"nll_loss", Kind::loss},
    {"swiglu", Kind::swiglu},
    {"silu_and_mul", Kind::swiglu},
    {"silu_mul", Kind::swiglu},
    {"geglu", Kind::geglu},
    {"gelu_and_mul", Kind::geglu},
    {"act_and_mul", Kind::swiglu},
    {"softmax", Kind::softmax},
    {"split_embedding", Kind::embedding},
    {"embedding", Kind::embedding},
    {"pooled_embs", Kind::embedding},
    {"adamfunctor", Kind::optimizer},
    {"fusedadam", Kind::optimizer},
    {"fused_adam", Kind::optimizer},
    {"adam_", Kind::optimizer},
    {"fusedsgd", Kind::optimizer},
    {"sgdfunctor", Kind::optimizer},
    {"adagrad", Kind::optimizer},
    // convolutions before GEMM: many are GEMMs inside
    {"convolve", Kind::convolution},
    {"convolution", Kind::convolution},
    {"conv2d", Kind::convolution},
    {"conv3d", Kind::convolution},
    {"conv1d", Kind::convolution},
    {"conv_fwd", Kind::convolution},
    {"conv_bwd", Kind::convolution},
    {"grouped_conv", Kind::convolution},
    {"fprop", Kind::convolution},
    {"dgrad", Kind::convolution},
    {"wgrad", Kind::convolution},
    {"winograd", Kind::convolution},
    {"igemm_fwd", Kind::convolution},
    {"igemm_bwd", Kind::convolution},
    {"igemm_wrw", Kind::convolution},
    {"scudnn", Kind::convolution},
    {"bwd_weight", Kind::convolution},
    {"nchwtonhwc", Kind::convolution},
    {"nhwctonchw", Kind::convolution},
    {"im2col", Kind::convolution},
    {"col2im", Kind::convolution},
    {"subtensorop", Kind::convolution},
    {"batched_transpose_", Kind::convolution},
    {"miopen", Kind::convolution},
    {"naive_conv", Kind::convolution},
    {"gemv", Kind::gemv},
    {"dot_kernel", Kind::gemv},
    {"gemm", Kind::gemm},
    {"cijk_", Kind::gemm},
    {"nvjet", Kind::gemm},
    {"xmma", Kind::gemm},
    {"splitkreduce", Kind::gemm},
    {"cublas", Kind::gemm},
    {"epilogue::impl::globalkernel", Kind::gemm},
    {"marlin", Kind::gemm},
    {"machete", Kind::gemm},
    {"matmul", Kind::gemm},
    {"wgmma", Kind::gemm},
    {"cutlass", Kind::gemm},
    {"_mm_kernel", Kind::gemm},
    {"quant", Kind::quantize},
    {"to_fp8", Kind::quantize},
    {"fp8_cast", Kind::quantize},
    {"memcpy", Kind::copy},
    {"memset", Kind::fill},
    {"copybuffer", Kind::copy},
    {"fillbuffer", Kind::fill},
    {"argmax", Kind::sampling},
    {"topk", Kind::sampling},
    {"multinomial", Kind::sampling},
    {"sampling", Kind::sampling},
    {"sampler", Kind::sampling},
    {"bfloat16_copy", Kind::cast},
    {"float16_copy", Kind::cast},
    {"tofloat32_copy", Kind::cast},
    {"loadwithcast", Kind::cast},
    {"catarray", Kind::copy},
    {"_copy_kernel", Kind::copy},
    {"transpose", Kind::copy},
    {"permute", Kind::gather},
}};

// Torch's own generic kernels and leftovers, after everything above.
constexpr std::array<Named<Kind>, 46> kGenericNames = {{
    {"gather", Kind::gather},
    {"scatter", Kind::gather},
    {"indexselect", Kind::gather},
    {"index_", Kind::gather},
    {"indexing", Kind::gather},
    {"indexcopy", Kind::kv_cache},
    {"_indices", Kind::gather},
    {"recat", Kind::gather},
    {"silu", Kind::activation},
    {"gelu", Kind::activation},
    {"tanh", Kind::activation},
    {"sigmoid", Kind::activation},
    {"threshold_kernel", Kind::activation},
    {"clamp_min", Kind::activation},
    {"relu", Kind::activation},
    {"clamp_scalar", Kind::activation},
    {"distribution_", Kind::fill},
    {"fillfunctor", Kind::fill},
    {"kernel_with_index", Kind::fill},
    {"arange", Kind::fill},
    {"multi_tensor_apply", Kind::elementwise},
    {"reduce_kernel", Kind::reduction},
    {"reduce", Kind::reduction},
    {"radixsort", Kind::reduction},
    {"scan", Kind::reduction},
    {"histogram", Kind::reduction},
    {"sort", Kind::reduction},
    {"cub::", Kind::reduction},
    {"rocprim", Kind::reduction},
    {"max_pool", Kind::reduction},
    {"avg_pool", Kind::reduction},
    {"pool", Kind::reduction},
    {"upsample", Kind::gather},
    {"interpolate", Kind::gather},
    {"elementwise", Kind::elementwise},
    {"functor", Kind::elementwise},
    {"pointwise", Kind::elementwise},
    {"op_tensor", Kind::elementwise},
    {"optensor", Kind::elementwise},
    {"dropout", Kind::elementwise},
    {"lengths_kernel", Kind::gather},
    {"_position", Kind::elementwise},
    {"token_ids", Kind::gather},
    {"triu_tril", Kind::elementwise},
    {"nonzero", Kind::gather},
    {"bitonic", Kind::reduction},
}};

// Inductor spells the fused ops: triton_poi_fused__unsafe_view_mul_silu_2.
Kind kind_of_triton(std::string_view name) {
  const bool pointwise = name.starts_with("triton_poi");
  if (name.starts_with("triton_tem")) {
    if (has(name, "attention")) return Kind::attention;
    return has(name, "conv") ? Kind::convolution : Kind::gemm;
  }
  if (has(name, "moe")) return Kind::moe;
  if (has(name, "adam")) return Kind::optimizer;
  if (!pointwise && has(name, "layer_norm")) return Kind::layer_norm;
  if (!pointwise && has(name, "group_norm")) return Kind::group_norm;
  if (!pointwise && (has(name, "rms_norm") || (has(name, "rsqrt") && has(name, "mean"))))
    return Kind::rms_norm;
  if (has(name, "nll_loss")) return Kind::cross_entropy;
  if (has(name, "softmax")) return Kind::softmax;
  if (has(name, "silu") && has(name, "mul")) return Kind::swiglu;
  if (has(name, "cos") && has(name, "sin")) return Kind::rope;
  if (has(name, "neg") && has(name, "cat") && has(name, "mul")) return Kind::rope;
  if (has(name, "silu") || has(name, "gelu") || has(name, "relu")) return Kind::activation;
  if (has(name, "native_layer_norm")) return Kind::layer_norm;
  if (has(name, "rsqrt") && has(name, "mean")) return Kind::rms_norm;
  if (has(name, "embedding")) return Kind::embedding;
  if (has(name, "index_put")) return Kind::kv_cache;
  if (has(name, "argmax")) return Kind::sampling;
  if (has(name, "convolution")) return Kind::elementwise;
  if (has(name, "fused__to_copy_") && !has(name, "_add_") && !has(name, "_mul_")) return Kind::cast;
  const bool computes = has(name, "add") || has(name, "mul") || has(name, "div") || has(name, "sub");
  if (!computes && (has(name, "clone") || has(name, "cat") || has(name, "transpose") || has(name, "copy"))) {
    return Kind::copy;
  }
  if (!pointwise) return Kind::reduction;
  return Kind::elementwise;
}

}  // namespace

Role role_of_op(std::string_view op_name) {
  if (!op_name.starts_with("aten::")) return Role::none;
  return equal_name(kOpRoles, base_op_name(op_name), Role::none);
}

Role role_of_kernel(std::string_view kernel_name) {
  const std::string name = lower(kernel_name);
  if (name.starts_with("triton_")) return Role::none;
  const Role role = first_contained(kKernelRoles, name, Role::none);
  if (role != Role::none) return role;
  const Kind kind = kind_of_kernel(kernel_name);
  return kind == Kind::gemm || kind == Kind::gemv ? Role::matmul : Role::none;
}

Kind kind_of_op(std::string_view op_name) {
  const std::string_view base = base_op_name(op_name);
  if (op_name.starts_with("aten::")) {
    if (has(base, "attention")) return Kind::attention;
    if (has(base, "batch_norm") || has(base, "group_norm")) return Kind::group_norm;
    if (has(base, "conv") && !has(base, "convert")) return Kind::convolution;
    if (base.starts_with("_fused_")) {
      if (has(base, "adam") || has(base, "sgd") || has(base, "adagrad")) return Kind::optimizer;
    }
    if (has(base, "quantize")) return Kind::quantize;
    const Kind kind = equal_name(kOpKinds, base, Kind::other);
    if (kind != Kind::other) return kind;
    if (has(base, "pool")) return Kind::reduction;
    OpCost cost;
    OpInput input;
    if (pointwise_cost(base, input, cost)) return Kind::elementwise;
    if (reduction_cost(base, input, cost)) return Kind::reduction;
    if (base.starts_with("_foreach_")) return Kind::elementwise;
    return Kind::other;
  }
  const std::string name = lower(op_name);
  if (name.starts_with("autograd::") || name.starts_with("torch::autograd")) return Kind::other;
  if (name.starts_with("triton_")) return kind_of_triton(name);
  if (name.starts_with("c10d::")) return Kind::collective;
  return first_contained(kNames, name, Kind::other);
}

Kind kind_of_kernel(std::string_view kernel_name) {
  const std::string name = lower(kernel_name);
  if (name.starts_with("triton_")) return kind_of_triton(name);
  const Kind kind = first_contained(kNames, name, Kind::other);
  if (kind == Kind::swiglu && has(name, "gelu")) return Kind::geglu;
  if (kind != Kind::other) return kind;
  return first_contained(kGenericNames, name, Kind::other);
}

Kind kind_of_region(std::string_view scope_name) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (scope_name.starts_with(kModule)) {
    const std::string_view module = scope_name.substr(kModule.size());
    if (has(module, "RMSNorm") || module.starts_with("T5LayerNorm")) return Kind::rms_norm;
    if (has(module, "LayerNorm")) return Kind::layer_norm;
    if (has(module, "GroupNorm") || has(module, "BatchNorm") || has(module, "InstanceNorm"))
      return Kind::group_norm;
    if (has(module, "RotaryEmbedding")) return Kind::rope;
    if (module.starts_with("QuickGELU") || module.starts_with("NewGELU")) return Kind::activation;
    if (module.starts_with("CrossEntropyLoss")) return Kind::cross_entropy;
    return Kind::other;
  }
  const auto ends = [&](std::string_view tail) { return scope_name.ends_with(tail); };
  if (ends(": apply_rotary_pos_emb") || ends(": apply_rotary_emb")) return Kind::rope;
  if (ends(": eager_attention_forward")) return Kind::attention;
  if (ends(": repeat_kv")) return Kind::repeat_kv;
  return Kind::other;
}

int element_bytes_in_name(std::string_view kernel_name) {
  constexpr std::array<Named<int>, 12> kTypes = {{{"OpaqueType<1u>", 1},
                                                  {"OpaqueType<2u>", 2},
                                                  {"OpaqueType<4u>", 4},
                                                  {"OpaqueType<8u>", 8},
                                                  {"OpaqueType<16u>", 16},
                                                  {"c10::BFloat16", 2},
                                                  {"c10::Half", 2},
                                                  {"__nv_bfloat16", 2},
                                                  {"Copy<float", 4},
                                                  {"Functor<float", 4},
                                                  {"<double", 8},
                                                  {"<long", 8}}};
  return first_contained(kTypes, kernel_name, 0);
}

bool is_tf32_kernel(std::string_view kernel_name) {
  const std::string name = lower(kernel_name);
  return has(name, "tf32") || has(name, "s1688gemm") || has(name, "tensorop_s1688") ||
         has(name, "s1688fprop");
}

bool is_simt_gemm(std::string_view kernel_name) {
  const std::string name = lower(kernel_name);
  return !is_tf32_kernel(kernel_name) && (has(name, "simt") || has(name, "sgemm") || has(name, "_ffma_"));
}

}  // namespace pagoda
