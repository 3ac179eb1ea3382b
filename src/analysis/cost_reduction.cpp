#include <algorithm>
#include <array>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

/// Index of the argument that lists the reduced dimensions; the whole tensor without it.
struct Reduction {
  std::string_view name;
  int flops;
  std::size_t dims_index;
};
constexpr std::array<Reduction, 24> kReductions = {{
    {"sum", 1, 1},
    {"mean", 1, 1},
    {"amax", 1, 1},
    {"amin", 1, 1},
    {"max", 1, 1},
    {"min", 1, 1},
    {"argmax", 1, 1},
    {"argmin", 1, 1},
    {"norm", 2, 2},
    {"linalg_vector_norm", 2, 2},
    {"var", 3, 1},
    {"std", 3, 1},
    {"var_mean", 3, 1},
    {"prod", 1, 1},
    {"any", 1, 1},
    {"all", 1, 1},
    {"logsumexp", 5, 1},
    {"nansum", 1, 1},
    {"count_nonzero", 1, 1},
    {"median", 1, 1},
    {"frobenius_norm", 2, 1},
    {"_is_any_true", 1, 1},
    {"_is_all_true", 1, 1},
    {"aminmax", 2, 1},
}};

bool reduce(std::string_view name, const OpInput& input, OpCost& cost) {
  const auto rule = std::find_if(kReductions.begin(), kReductions.end(),
                                 [&](const Reduction& r) { return r.name == name; });
  if (rule == kReductions.end()) return false;
  if (!input.has(0)) return true;
  const TensorArg& x = input.args[0];
  std::int64_t out = 1;
  const auto dims = input.integers(rule->dims_index);
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  if (!dims.empty()) {
    std::vector<bool> gone(x.dims.size(), false);
    for (std::int64_t d : dims) {
      if (d < 0) d += rank;
      if (d >= 0 && d < rank) gone[static_cast<std::size_t>(d)] = true;
    }
    for (std::size_t i = 0; i < x.dims.size(); ++i) out *= gone[i] ? 1 : x.dims[i];
  }
  const bool index = name == "argmax" || name == "argmin";
  const bool truth = name == "any" || name == "all";
  cost.known = true;
  cost.data_type = x.type;
  cost.flops = static_cast<double>(rule->flops) * static_cast<double>(x.elements());
  cost.reads = {access_of(x)};
  cost.writes = {access_of(out, index ? DataType::i64 : truth ? DataType::boolean : x.type)};
  return true;
}

bool softmax(std::string_view name, const OpInput& input, OpCost& cost) {
  const bool forward = name == "_softmax" || name == "_log_softmax" || name == "softmax" ||
                       name == "log_softmax" || name == "_safe_softmax";
  const bool backward = name == "_softmax_backward_data" || name == "_log_softmax_backward_data";
  if (!forward && !backward) return false;
  if (!input.has(0)) return true;
  const TensorArg& x = input.args[0];
  const auto elements = static_cast<double>(x.elements());
  cost.known = true;
  cost.data_type = x.type;
  cost.flops = (forward ? 8 : 5) * elements;  // max, subtract, exp (4), sum, scale
  cost.reads = {access_of(x)};
  if (backward && input.has(1)) cost.reads.push_back(access_of(input.args[1]));
  const bool widen = forward && input.boolean(2).value_or(false);  // half_to_float
  cost.writes = {access_of(x.elements(), widen ? DataType::f32 : x.type)};
  return true;
}

// Statistics and parameters are small beside the tensor, and counted.
bool norm(std::string_view name, const OpInput& input, OpCost& cost) {
  constexpr std::array<std::string_view, 14> kForward = {
      "native_layer_norm",        "layer_norm",           "rms_norm",         "_fused_rms_norm",
      "native_group_norm",        "native_batch_norm",    "cudnn_batch_norm", "miopen_batch_norm",
      "_native_batch_norm_legit", "batch_norm",           "group_norm",       "_batch_norm_with_update",
      "batch_norm_elemt",         "_batch_norm_no_update"};
  constexpr std::array<std::string_view, 7> kBackward = {
      "native_layer_norm_backward", "_fused_rms_norm_backward",  "native_group_norm_backward",
      "native_batch_norm_backward", "cudnn_batch_norm_backward", "miopen_batch_norm_backward",
      "batch_norm_backward"};
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool forward = among(kForward);
  if (!forward && !among(kBackward)) return false;
  if (!input.has_dims(0) || (!forward && !input.has_dims(1))) return true;
  const TensorArg& x = input.args[0];
  cost.known = true;
  cost.data_type = x.type;
  cost.flops = (forward ? 7.0 : 14.0) * static_cast<double>(x.elements());
  for (const TensorArg& arg : input.args) {
    if (arg.given && !arg.is_list && !arg.is_scalar()) cost.reads.push_back(access_of(arg));
  }
  cost.writes = {access_of(x.elements(), x.type)};
  if (!forward) {  // gradients of weight and bias
    for (const TensorArg& arg : input.args) {
      if (arg.given && arg.dims.size() == 1) {
        cost.writes.push_back(access_of(2 * arg.elements(), arg.type));
        break;
      }
    }
  }
  return true;
}

// A gather of one element a row still moves a 32-byte sector of each.
Access sectors(std::int64_t rows) { return {rows, 32}; }

bool nll(std::string_view name, const OpInput& input, OpCost& cost) {
  if (name == "nll_loss_forward" || name == "nll_loss2d_forward") {
    if (!input.has_dims(0) || !input.has(1)) return true;
    const std::int64_t rows = input.args[1].elements();
    cost.reads = {sectors(rows), access_of(input.args[1])};
    cost.writes = {access_of(2, input.args[0].type)};
    cost.data_type = input.args[0].type;
  } else if (name == "nll_loss_backward" || name == "nll_loss2d_backward") {
    if (!input.has_dims(1) || !input.has(2)) return true;  // the zero fill is an op of its own
    const std::int64_t rows = input.args[2].elements();
    cost.reads = {access_of(input.args[2])};
    cost.writes = {sectors(rows)};
    cost.data_type = input.args[1].type;
  } else {
    return false;
  }
  cost.known = true;
  cost.flops = static_cast<double>(cost.reads.front().elements);
  return true;
}

bool ordered(std::string_view name, const OpInput& input, OpCost& cost) {
  const bool scan = name == "cumsum" || name == "cumprod" || name == "logcumsumexp";
  const bool sorts = name == "sort" || name == "argsort" || name == "topk" || name == "multinomial";
  if (!scan && !sorts) return false;
  if (!input.has_dims(0)) return true;
  const TensorArg& x = input.args[0];
  std::int64_t out = x.elements();
  if (name == "topk" || name == "multinomial") {
    const auto k = input.integers(1);
    if (k.empty() || x.dims.back() == 0) return true;
    out = x.elements() / x.dims.back() * k[0];
  }
  cost.known = true;
  cost.data_type = x.type;
  cost.flops = static_cast<double>(x.elements());
  cost.reads = {access_of(x)};
  if (name != "argsort" && name != "multinomial") cost.writes.push_back(access_of(out, x.type));
  if (sorts) cost.writes.push_back(access_of(out, DataType::i64));
  return true;
}

}  // namespace

bool reduction_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  return softmax(name, input, cost) || norm(name, input, cost) || nll(name, input, cost) ||
         reduce(name, input, cost) || ordered(name, input, cost);
}

}  // namespace pagoda
