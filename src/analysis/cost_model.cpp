#include "analysis/cost_model.h"

namespace pagoda {

double OpCost::read_bytes() const {
  double total = 0;
  for (const Access& access : reads) total += access.bytes();
  return total;
}

double OpCost::written_bytes() const {
  double total = 0;
  for (const Access& access : writes) total += access.bytes();
  return total;
}

Access access_of(const TensorArg& tensor) { return {tensor.stored_elements(), element_bytes(tensor.type)}; }

Access access_of(std::int64_t elements, DataType type) { return {elements, element_bytes(type)}; }

std::string_view base_op_name(std::string_view op_name) {
  if (const auto colons = op_name.rfind("::"); colons != std::string_view::npos) {
    op_name.remove_prefix(colons + 2);
  }
  if (const auto dot = op_name.find('.'); dot != std::string_view::npos) op_name = op_name.substr(0, dot);
  while (op_name.size() > 1 && op_name.back() == '_') op_name.remove_suffix(1);
  return op_name;
}

OpCost cost_of(std::string_view op_name, const OpInput& input, const KernelHint& hint) {
  OpCost cost;
  if (input.args.empty()) return cost;
  const std::string_view name = base_op_name(op_name);
  const bool ruled = op_name.starts_with("triton_")
                         ? triton_cost(op_name, input, cost)
                         : matmul_cost(name, input, cost) || attention_cost(name, input, cost) ||
                               convolution_cost(name, input, cost) ||
                               movement_cost(name, input, hint, cost) || reduction_cost(name, input, cost) ||
                               list_cost(name, input, hint, cost) || pointwise_cost(name, input, cost);
  if (!ruled || !cost.known) return OpCost{};
  for (const auto* side : {&cost.reads, &cost.writes}) {
    for (const Access& access : *side) {
      if (access.bytes_each == 0 && access.elements > 0) return OpCost{};  // a type that is not known
    }
  }
  if (cost.floor_flops < 0) cost.floor_flops = cost.flops;
  return cost;
}

}  // namespace pagoda
