#include <optional>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

/// Positions of the arguments among the concrete inputs.
struct Form {
  std::size_t stride, padding, dilation, groups;
  std::size_t transposed = 99;
};

std::optional<Form> form_of(std::string_view name) {
  if (name == "convolution" || name == "_convolution") return Form{3, 4, 5, 8, 6};
  if (name == "conv1d" || name == "conv2d" || name == "conv3d") return Form{3, 4, 5, 6};
  if (name == "cudnn_convolution") return Form{3, 2, 4, 5};
  if (name == "miopen_convolution" || name == "miopen_depthwise_convolution") return Form{4, 3, 5, 6};
  if (name == "cudnn_convolution_relu") return Form{3, 4, 5, 6};
  if (name == "_conv_depthwise2d") return Form{4, 5, 6, 99};
  return std::nullopt;
}

std::int64_t at(const std::vector<std::int64_t>& values, std::size_t i, std::int64_t otherwise) {
  if (values.empty()) return otherwise;
  return i < values.size() ? values[i] : values.back();
}

double product(const std::vector<std::int64_t>& dims, std::size_t from) {
  double result = 1;
  for (std::size_t i = from; i < dims.size(); ++i) result *= static_cast<double>(dims[i]);
  return result;
}

void forward(const Form& form, const OpInput& input, OpCost& cost) {
  const TensorArg& x = input.args[0];
  const TensorArg& w = input.args[1];
  if (x.dims.size() < 3 || w.dims.size() != x.dims.size() || input.concrete.size() <= form.stride) return;
  const bool transposed = input.boolean(form.transposed).value_or(false);
  const auto stride = input.integers(form.stride);
  const auto padding = input.integers(form.padding);
  const auto dilation = input.integers(form.dilation);
  const std::int64_t groups = at(input.integers(form.groups), 0, 1);
  std::int64_t out = x.dims[0] * (transposed ? w.dims[1] * groups : w.dims[0]);
  for (std::size_t i = 2; i < x.dims.size(); ++i) {
    const std::int64_t s = std::max<std::int64_t>(at(stride, i - 2, 1), 1);
    const std::int64_t reach = at(dilation, i - 2, 1) * (w.dims[i] - 1);
    const std::int64_t pad = 2 * at(padding, i - 2, 0);
    out *= transposed ? (x.dims[i] - 1) * s - pad + reach + 1 : (x.dims[i] + pad - reach - 1) / s + 1;
  }
  if (out <= 0) return;
  // Each element of the side that the kernel slides over meets the whole window of one group.
  const double windows = transposed ? static_cast<double>(x.elements()) : static_cast<double>(out);
  cost.known = cost.matrix = true;
  cost.data_type = x.type;
  cost.flops = 2 * windows * product(w.dims, 1);
  cost.reads = {access_of(x), access_of(w)};
  if (input.has_dims(2)) cost.reads.push_back(access_of(input.args[2]));
  cost.writes = {access_of(out, x.type)};
}

// Two convolutions of the forward's size: gradients of the input and of the weight, each only if asked for.
void backward(const OpInput& input, OpCost& cost) {
  if (!input.has_dims(0) || !input.has_dims(1) || !input.has_dims(2)) return;
  const TensorArg& grad = input.args[0];
  const TensorArg& x = input.args[1];
  const TensorArg& w = input.args[2];
  const bool transposed = input.boolean(7).value_or(false);
  const double windows = static_cast<double>(transposed ? x.elements() : grad.elements());
  bool for_input = true;
  bool for_weight = true;
  if (input.concrete.size() > 10) {
    const std::string_view mask = input.concrete[10];
    for_input = !mask.starts_with("[False");
    const auto comma = mask.find(',');
    for_weight = comma == std::string_view::npos || mask.substr(comma).find("False") != 2;
  }
  cost.known = cost.matrix = true;
  cost.data_type = x.type;
  cost.flops = 2 * windows * product(w.dims, 1) * ((for_input ? 1 : 0) + (for_weight ? 1 : 0));
  cost.reads = {access_of(grad)};
  if (for_input) {
    cost.reads.push_back(access_of(w));
    cost.writes.push_back(access_of(x.elements(), x.type));
  }
  if (for_weight) {
    cost.reads.push_back(access_of(x));
    cost.writes.push_back(access_of(w.elements(), w.type));
  }
}

}  // namespace

bool convolution_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  if (name == "convolution_backward" || name == "miopen_convolution_backward") {
    backward(input, cost);
    return true;
  }
  if (name == "cudnn_convolution_backward_input") {  // torch 1: (input_size, grad, weight, ...)
    if (input.has_dims(1) && input.has_dims(2)) {
      const TensorArg& grad = input.args[1];
      const TensorArg& w = input.args[2];
      cost.known = cost.matrix = true;
      cost.data_type = grad.type;
      cost.flops = 2 * static_cast<double>(grad.elements()) * product(w.dims, 1);
      cost.reads = {access_of(grad), access_of(w)};
      const auto size = input.integers(0);
      double elements = size.empty() ? 0 : 1;
      for (std::int64_t s : size) elements *= static_cast<double>(s);
      cost.writes = {access_of(static_cast<std::int64_t>(elements), grad.type)};
      cost.known = elements > 0;
    }
    return true;
  }
  const auto form = form_of(name);
  if (!form) return false;
  if (input.has_dims(0) && input.has_dims(1)) forward(*form, input, cost);
  return true;
}

}  // namespace pagoda
