#include <algorithm>
#include <array>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

enum class Out : std::uint8_t { promoted, boolean, like_first };

struct Rule {
  std::string_view name;
  int flops;  ///< per output element; a transcendental function counts as a few
  Out out = Out::promoted;
};

// One output element from one element of each (broadcast) input.
constexpr std::array<Rule, 117> kRules = {{
    {"add", 1},
    {"sub", 1},
    {"rsub", 1},
    {"mul", 1},
    {"div", 1},
    {"neg", 1},
    {"abs", 1},
    {"exp", 4},
    {"exp2", 4},
    {"log", 4},
    {"log1p", 4},
    {"log2", 4},
    {"sqrt", 1},
    {"rsqrt", 1},
    {"pow", 4},
    {"square", 1},
    {"reciprocal", 1},
    {"sin", 4},
    {"cos", 4},
    {"tan", 4},
    {"tanh", 6},
    {"sigmoid", 5},
    {"silu", 6},
    {"gelu", 10},
    {"relu", 1},
    {"threshold", 1},
    {"hardtanh", 1},
    {"clamp", 1},
    {"clamp_min", 1},
    {"clamp_max", 1},
    {"leaky_relu", 1},
    {"elu", 5},
    {"mish", 12},
    {"softplus", 8},
    {"hardswish", 3},
    {"hardsigmoid", 3},
    {"erf", 8},
    {"erfinv", 8},
    {"sign", 1},
    {"floor", 1},
    {"ceil", 1},
    {"round", 1},
    {"trunc", 1},
    {"frac", 1},
    {"nan_to_num", 1},
    {"remainder", 1},
    {"fmod", 1},
    {"floor_divide", 1},
    {"maximum", 1},
    {"minimum", 1},
    {"fmax", 1},
    {"fmin", 1},
    {"atan2", 8},
    {"lerp", 2},
    {"addcmul", 3},
    {"addcdiv", 3},
    {"where", 1},
    {"masked_fill", 1, Out::like_first},
    {"eq", 1, Out::boolean},
    {"ne", 1, Out::boolean},
    {"lt", 1, Out::boolean},
    {"le", 1, Out::boolean},
    {"gt", 1, Out::boolean},
    {"ge", 1, Out::boolean},
    {"isnan", 1, Out::boolean},
    {"isinf", 1, Out::boolean},
    {"isfinite", 1, Out::boolean},
    {"logical_and", 1, Out::boolean},
    {"logical_or", 1, Out::boolean},
    {"logical_not", 1, Out::boolean},
    {"logical_xor", 1, Out::boolean},
    {"bitwise_and", 1},
    {"bitwise_or", 1},
    {"bitwise_not", 1},
    {"bitwise_xor", 1},
    {"bitwise_left_shift", 1},
    {"bitwise_right_shift", 1},
    {"__and__", 1},
    {"__or__", 1},
    {"__lshift__", 1},
    {"__rshift__", 1},
    {"silu_backward", 9},
    {"gelu_backward", 18},
    {"tanh_backward", 3},
    {"sigmoid_backward", 3},
    {"threshold_backward", 1},
    {"relu_backward", 1},
    {"hardtanh_backward", 1},
    {"leaky_relu_backward", 2},
    {"elu_backward", 5},
    {"mish_backward", 16},
    {"softplus_backward", 8},
    {"hardswish_backward", 4},
    {"logit", 6},
    {"tril", 1},
    {"triu", 1},
    {"real", 1},
    {"conj_physical", 1},
    {"angle", 8},
    {"polar", 8},
    {"mse_loss", 3},
    {"smooth_l1_loss", 4},
    {"l1_loss", 2},
    {"huber_loss", 4},
    {"binary_cross_entropy", 8},
    {"binary_cross_entropy_backward", 6},
    {"mse_loss_backward", 3},
    {"smooth_l1_loss_backward", 3},
    {"fake_quantize_per_tensor_affine", 4},
    {"quantize_per_tensor", 3},
    {"quantize_per_channel", 3},
    {"dequantize", 2},
    {"view_as_complex", 0},
    {"native_dropout_backward", 2},
    {"masked_scale", 2},
    {"glu", 6},
    {"addcmul_backward", 3},
}};

const Rule* rule_of(std::string_view name) {
  const auto found =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.name == name; });
  return found == kRules.end() ? nullptr : &*found;
}

bool broadcast(std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& other) {
  if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& size = shape[shape.size() - other.size() + i];
    if (size != other[i] && size != 1 && other[i] != 1) return false;
    size = size == 1 ? other[i] : size;
  }
  return true;
}

// Tensors with dimensions decide; a scalar only where all are scalars or it alone is floating.
DataType promoted(const OpInput& input) {
  DataType dimensioned = DataType::unknown;
  DataType scalar = DataType::unknown;
  const auto wider = [](DataType a, DataType b) {
    if (a == DataType::unknown) return b;
    if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
    if (a != b && element_bytes(a) == element_bytes(b) && element_bytes(a) == 2) return DataType::f32;
    return element_bytes(a) >= element_bytes(b) ? a : b;
  };
  for (const TensorArg& arg : input.args) {
    if (!arg.given || arg.is_list) continue;
    DataType& into = arg.is_scalar() ? scalar : dimensioned;
    into = wider(into, arg.type);
  }
  if (dimensioned == DataType::unknown) return scalar;
  if (is_floating(scalar) && !is_floating(dimensioned)) return DataType::f32;
  return dimensioned;
}

}  // namespace

bool pointwise_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  const Rule* rule = rule_of(name);
  if (!rule) return false;
  std::vector<std::int64_t> shape;
  bool any = false;
  for (std::size_t i = 0; i < input.args.size(); ++i) {
    const TensorArg& arg = input.args[i];
    if (!arg.given || arg.is_list) continue;
    if (!broadcast(shape, arg.dims)) return true;
    // Numbers that the profiler shows as 0-d tensors travel as kernel arguments.
    if (!arg.is_scalar() || i == 0) cost.reads.push_back(access_of(arg));
    any = true;
  }
  if (!any) return true;
  std::int64_t elements = 1;
  for (std::int64_t size : shape) elements *= size;
  // "where(mask, a, b)" has the type of what it chooses from.
  OpInput chosen = input;
  if (name == "where" && !chosen.args.empty()) chosen.args.erase(chosen.args.begin());
  const DataType type = rule->out == Out::boolean      ? DataType::boolean
                        : rule->out == Out::like_first ? input.args[0].type
                                                       : promoted(chosen);
  cost.known = true;
  cost.data_type = promoted(chosen);
  cost.flops = static_cast<double>(rule->flops) * static_cast<double>(elements);
  cost.writes = {access_of(elements, type)};
  return true;
}

}  // namespace pagoda
