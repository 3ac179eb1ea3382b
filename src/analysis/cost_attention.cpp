#include <algorithm>
#include <array>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

enum class Layout { batch_head_seq, batch_seq_head };

/// Where an attention op keeps its arguments. causal: index among the concrete inputs.
struct Form {
  std::string_view name;
  Layout layout;
  bool backward;
  std::size_t query;
  std::size_t causal;
  std::size_t causal_is_mask_type;  ///< 1: the argument is a mask type, 0 none, 1 and 2 causal
};

constexpr std::array<Form, 14> kForms = {{
    {"scaled_dot_product_attention", Layout::batch_head_seq, false, 0, 5, 0},
    {"_scaled_dot_product_flash_attention", Layout::batch_head_seq, false, 0, 4, 0},
    {"_scaled_dot_product_efficient_attention", Layout::batch_head_seq, false, 0, 6, 0},
    {"_scaled_dot_product_cudnn_attention", Layout::batch_head_seq, false, 0, 6, 0},
    {"_cudnn_attention_forward", Layout::batch_head_seq, false, 0, 10, 0},
    {"_flash_attention_forward", Layout::batch_seq_head, false, 0, 8, 0},
    {"_efficient_attention_forward", Layout::batch_seq_head, false, 0, 9, 1},
    {"_scaled_dot_product_flash_attention_backward", Layout::batch_head_seq, true, 1, 11, 0},
    {"_scaled_dot_product_efficient_attention_backward", Layout::batch_head_seq, true, 1, 11, 0},
    {"_scaled_dot_product_cudnn_attention_backward", Layout::batch_head_seq, true, 1, 14, 0},
    {"_cudnn_attention_backward", Layout::batch_head_seq, true, 1, 14, 0},
    {"_flash_attention_backward", Layout::batch_seq_head, true, 1, 11, 0},
    {"_efficient_attention_backward", Layout::batch_seq_head, true, 1, 14, 1},
    {"flash_attn_func", Layout::batch_seq_head, false, 0, 99, 0},
}};

struct Sizes {
  double batch = 1, heads = 0, queries = 0, keys = 0, dim = 0, dim_v = 0;
};

bool sizes_of(const TensorArg& q, const TensorArg& k, const TensorArg& v, Layout layout, Sizes& s) {
  if (q.dims.size() != 4 || k.dims.size() != 4 || v.dims.size() != 4) return false;
  const std::size_t head = layout == Layout::batch_head_seq ? 1 : 2;
  const std::size_t seq = layout == Layout::batch_head_seq ? 2 : 1;
  s.batch = static_cast<double>(q.dims[0]);
  s.heads = static_cast<double>(q.dims[head]);
  s.queries = static_cast<double>(q.dims[seq]);
  s.keys = static_cast<double>(k.dims[seq]);
  s.dim = static_cast<double>(q.dims[3]);
  s.dim_v = static_cast<double>(v.dims[3]);
  return true;
}

// torch aligns its causal mask at the top left: query i sees keys 0..i.
double causal_pairs(double queries, double keys) {
  const double square = std::min(queries, keys);
  return square * (square + 1) / 2 + std::max(0.0, queries - keys) * keys;
}

bool is_causal(const OpInput& input, const Form& form) {
  if (form.causal_is_mask_type) {
    const auto type = input.integers(form.causal);
    return !type.empty() && type[0] > 0;
  }
  return input.boolean(form.causal).value_or(false);
}

void set(const Form& form, const OpInput& input, OpCost& cost) {
  const TensorArg& q = input.args[form.query];
  const TensorArg& k = input.args[form.query + 1];
  const TensorArg& v = input.args[form.query + 2];
  Sizes s;
  if (!sizes_of(q, k, v, form.layout, s)) return;  // packed sequences: their lengths are not in the shapes
  const double pairs = is_causal(input, form) ? causal_pairs(s.queries, s.keys) : s.queries * s.keys;
  // Forward: QK^T and PV. Backward: QK^T again, dV, dP, dQ, dK.
  const double dims = form.backward ? 3 * s.dim + 2 * s.dim_v : s.dim + s.dim_v;
  cost.known = cost.matrix = true;
  cost.data_type = q.type;
  cost.flops = 2 * s.batch * s.heads * pairs * dims;
  const auto out = static_cast<std::int64_t>(s.batch * s.heads * s.queries * s.dim_v);
  const auto rows = static_cast<std::int64_t>(s.batch * s.heads * s.queries);
  for (const TensorArg* tensor : {&q, &k, &v}) cost.reads.push_back(access_of(*tensor));
  if (form.backward) {
    cost.reads.push_back(access_of(out, q.type));  // output
    cost.reads.push_back(access_of(out, q.type));  // its gradient
    cost.reads.push_back(access_of(rows, DataType::f32));
    for (const TensorArg* tensor : {&q, &k, &v})
      cost.writes.push_back(access_of(tensor->elements(), tensor->type));
  } else {
    if (input.has_dims(3)) cost.reads.push_back(access_of(input.args[3]));  // bias or mask
    cost.writes.push_back(access_of(out, q.type));
    cost.writes.push_back(access_of(rows, DataType::f32));  // log-sum-exp
  }
}

}  // namespace

bool attention_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  for (const Form& form : kForms) {
    if (form.name != name) continue;
    if (input.has_dims(form.query) && input.has_dims(form.query + 1) && input.has_dims(form.query + 2)) {
      set(form, input, cost);
    }
    return true;
  }
  return false;
}

}  // namespace pagoda
