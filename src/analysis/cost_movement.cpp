#include <algorithm>
#include <array>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool copy(std::string_view name, const OpInput& input, OpCost& cost) {
  if (name == "copy") {  // (destination, source)
    if (!input.has(0) || !input.has(1)) return true;
    const TensorArg& to = input.args[0];
    const TensorArg& from = input.args[1];
    cost.reads = {access_of(from)};
    cost.writes = {access_of(to.elements(), to.type)};
    cost.data_type = element_bytes(from.type) <= element_bytes(to.type) ? from.type : to.type;
  } else if (among(name, {"clone", "contiguous", "flip", "roll"})) {
    if (!input.has(0)) return true;
    cost.reads = {access_of(input.args[0])};
    cost.writes = {access_of(input.args[0].elements(), input.args[0].type)};
    cost.data_type = input.args[0].type;
  } else {
    return false;
  }
  cost.known = true;
  cost.flops = 0;
  return true;
}

bool fill(std::string_view name, const OpInput& input, OpCost& cost) {
  if (!among(name, {"fill", "zero", "zeros_like", "ones_like", "full_like", "normal", "uniform", "random",
                    "bernoulli", "exponential", "native_dropout", "log_normal"})) {
    return false;
  }
  if (!input.has(0)) return true;
  const TensorArg& x = input.args[0];
  cost.known = true;
  cost.data_type = x.type;
  cost.flops = 0;
  cost.writes = {access_of(x.elements(), x.type)};
  if (name == "native_dropout") {  // x -> output, mask
    cost.flops = 2.0 * static_cast<double>(x.elements());
    cost.reads = {access_of(x)};
    cost.writes.push_back(access_of(x.elements(), DataType::boolean));
  }
  return true;
}

// Joining copies every input once. The profiler records no types of lists: the kernel's name tells their
// size.
bool join(std::string_view name, const OpInput& input, const KernelHint& hint, OpCost& cost) {
  if (!among(name, {"cat", "_cat", "stack", "_stack", "concat", "hstack", "vstack", "_chunk_cat"}))
    return false;
  if (input.args.empty() || !input.args[0].is_list || hint.element_bytes == 0) return true;
  std::int64_t total = 0;
  for (const TensorArg& item : input.args[0].list) {
    const std::int64_t elements = item.elements();
    if (elements == 0) continue;
    cost.reads.push_back({item.stored_elements(), hint.element_bytes});
    total += elements;
  }
  cost.known = total > 0;
  cost.flops = 0;
  cost.data_type = hint.element_bytes == 2   ? DataType::bf16
                   : hint.element_bytes == 4 ? DataType::f32
                                             : DataType::unknown;
  cost.writes = {{total, hint.element_bytes}};
  return true;
}

void gathered(OpCost& cost, const TensorArg& table, const TensorArg& index, std::int64_t out) {
  cost.known = true;
  cost.flops = 0;
  cost.data_type = table.type;
  // Rows that repeat are read once at best: no more than the whole table.
  cost.reads = {access_of(std::min(out, table.elements()), table.type), access_of(index)};
  cost.writes = {access_of(out, table.type)};
}

bool gather(std::string_view name, const OpInput& input, OpCost& cost) {
  if (name == "embedding") {
    if (!input.has_dims(0) || !input.has(1) || input.args[0].dims.size() != 2) return true;
    gathered(cost, input.args[0], input.args[1], input.args[1].elements() * input.args[0].dims[1]);
  } else if (name == "index_select") {
    if (!input.has_dims(0) || !input.has(2)) return true;
    const auto dim = input.integers(1);
    const TensorArg& table = input.args[0];
    std::int64_t d = dim.empty() ? 0 : dim[0];
    if (d < 0) d += static_cast<std::int64_t>(table.dims.size());
    if (d < 0 || d >= static_cast<std::int64_t>(table.dims.size())) return true;
    const std::int64_t size = table.dims[static_cast<std::size_t>(d)];
    if (size == 0) return true;
    gathered(cost, table, input.args[2], table.elements() / size * input.args[2].elements());
  } else if (name == "gather" || name == "take_along_dim") {
    if (!input.has_dims(0) || !input.has(2)) return true;
    gathered(cost, input.args[0], input.args[2], input.args[2].elements());
  } else if (name == "index") {
    if (!input.has_dims(0) || !input.has(1) || input.args[1].list.size() != 1) return true;
    const TensorArg& table = input.args[0];
    TensorArg index = input.args[1].list[0];
    index.type = DataType::i64;
    if (table.dims[0] == 0) return true;
    gathered(cost, table, index, table.elements() / table.dims[0] * index.elements());
  } else {
    return false;
  }
  return true;
}

// Read a source, write it to places that an index names.
bool scatter(std::string_view name, const OpInput& input, OpCost& cost) {
  std::size_t source = 0;
  std::size_t index = 2;
  bool accumulates = true;
  if (among(name, {"scatter", "scatter_add", "index_add", "index_copy", "scatter_reduce", "index_reduce"})) {
    source = 3;
    accumulates = name != "scatter" && name != "index_copy";
  } else if (among(name, {"index_put", "_index_put_impl", "_unsafe_index_put"})) {
    source = 2;
    index = 1;
    accumulates = input.boolean(3).value_or(false);
  } else if (name == "embedding_dense_backward") {
    index = 1;
  } else if (name == "embedding_backward" || name == "slice_backward" || name == "select_backward") {
    return true;  // their parts are ops of their own
  } else {
    return false;
  }
  if (!input.has(source) || !input.has(index) || input.args[source].is_list) return true;
  const TensorArg& values = input.args[source];
  if (values.is_scalar()) return true;
  cost.known = true;
  cost.data_type = values.type;
  cost.flops = accumulates ? static_cast<double>(values.elements()) : 0;
  cost.reads = {access_of(values)};
  if (!input.args[index].is_list) cost.reads.push_back(access_of(input.args[index]));
  if (accumulates) cost.reads.push_back(access_of(values.elements(), values.type));
  cost.writes = {access_of(values.elements(), values.type)};
  return true;
}

}  // namespace

bool movement_cost(std::string_view name, const OpInput& input, const KernelHint& hint, OpCost& cost) {
  return copy(name, input, cost) || fill(name, input, cost) || join(name, input, hint, cost) ||
         gather(name, input, cost) || scatter(name, input, cost);
}

// Optimizers and other ops on lists of tensors: how often each list is read and written.
bool list_cost(std::string_view name, const OpInput& input, const KernelHint& hint, OpCost& cost) {
  struct Rule {
    std::string_view prefix;
    int lists, written, flops;
  };
  // _fused_adam: parameter, gradient and two moments in; parameter and moments out.
  constexpr std::array<Rule, 6> kRules = {{{"_fused_adam", 4, 3, 15},
                                           {"_fused_sgd", 3, 2, 4},
                                           {"_fused_adagrad", 3, 2, 6},
                                           {"_foreach_addc", 3, 1, 3},
                                           {"_foreach_norm", 1, 0, 2},
                                           {"_foreach_", 2, 1, 1}}};
  const auto rule =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return name.starts_with(r.prefix); });
  if (rule == kRules.end()) return false;
  if (hint.element_bytes == 0) return true;
  int lists = 0;
  std::int64_t elements = 0;
  for (const TensorArg& arg : input.args) {
    if (!arg.is_list || lists == rule->lists) continue;
    ++lists;
    std::int64_t total = 0;
    for (const TensorArg& item : arg.list) total += item.elements();
    cost.reads.push_back({total, hint.element_bytes});
    elements = std::max(elements, total);
  }
  if (lists == 0) return true;
  for (int i = 0; i < rule->written; ++i) cost.writes.push_back({elements, hint.element_bytes});
  cost.known = true;
  cost.flops = static_cast<double>(rule->flops) * static_cast<double>(elements);
  return true;
}

// Inductor lists inputs, then outputs, once each, so the sum is the traffic, unless an argument is a view
// into a larger buffer: the recorded shape is then the buffer's. Such costs are marked and not trusted over a
// roof.
bool triton_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  if (!name.starts_with("triton_poi") && !name.starts_with("triton_red") && !name.starts_with("triton_per")) {
    return false;
  }
  std::int64_t largest = 0;
  for (const TensorArg& arg : input.args) {
    if (!arg.given || arg.is_list || arg.is_scalar()) continue;
    cost.reads.push_back(access_of(arg));
    largest = std::max(largest, arg.elements());
    if (cost.data_type == DataType::unknown) cost.data_type = arg.type;
  }
  if (cost.reads.empty()) return true;
  if (cost.reads.size() > 1) {
    cost.writes.push_back(cost.reads.back());
    cost.reads.pop_back();
  } else {
    cost.writes = cost.reads;  // in place
  }
  cost.known = cost.suspect = true;
  cost.flops = static_cast<double>(largest);
  return true;
}

}  // namespace pagoda
