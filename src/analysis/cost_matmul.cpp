#include <algorithm>

#include "analysis/cost_model.h"

namespace pagoda {
namespace {

struct Product {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
};

DataType output_type(const TensorArg& a) {
  if (a.type == DataType::f8) return DataType::bf16;
  return a.type == DataType::i8 ? DataType::i32 : a.type;
}

void set(OpCost& cost, const Product& p, const TensorArg& a, const TensorArg& b, DataType out) {
  cost.known = true;
  cost.matrix = true;
  cost.data_type = a.type;
  cost.flops = 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n) *
               static_cast<double>(p.k);
  cost.matrix_rows = static_cast<double>(std::min(p.m, p.n));
  cost.reads.push_back(access_of(a));
  cost.reads.push_back(access_of(b));
  cost.writes.push_back(access_of(p.batch * p.m * p.n, out));
}

// The last two dimensions multiply, the ones before are batch and broadcast.
bool batched(const TensorArg& a, const TensorArg& b, Product& p) {
  const auto rank = [](const TensorArg& t) { return t.dims.size(); };
  if (rank(a) == 0 || rank(b) == 0) return false;
  const bool vector_a = rank(a) == 1;
  const bool vector_b = rank(b) == 1;
  p.k = a.dims.back();
  p.m = vector_a ? 1 : a.dims[rank(a) - 2];
  p.n = vector_b ? 1 : b.dims.back();
  if ((vector_b ? b.dims[0] : b.dims[rank(b) - 2]) != p.k) return false;
  const auto leading = [](const TensorArg& t, std::size_t from_end) -> std::int64_t {
    const std::size_t offset = 3 + from_end;
    return t.dims.size() >= offset ? t.dims[t.dims.size() - offset] : 1;
  };
  for (std::size_t i = 0; i + 2 < std::max(rank(a), rank(b)); ++i) {
    const std::int64_t x = leading(a, i);
    const std::int64_t y = leading(b, i);
    if (x != y && x != 1 && y != 1) return false;
    p.batch *= std::max(x, y);
  }
  return true;
}

bool plain(OpCost& cost, const OpInput& input, std::size_t first) {
  Product p;
  if (!input.has_dims(first) || !input.has_dims(first + 1)) return true;
  const TensorArg& a = input.args[first];
  const TensorArg& b = input.args[first + 1];
  if (batched(a, b, p)) set(cost, p, a, b, output_type(a));
  return true;
}

// out = beta * C + A B: C is one more read, unless it is broadcast from a few elements.
bool with_addend(OpCost& cost, const OpInput& input) {
  plain(cost, input, 1);
  if (cost.known && input.has(0)) cost.reads.push_back(access_of(input.args[0]));
  return true;
}

// weight is [n, k]: stored transposed.
bool linear(OpCost& cost, const OpInput& input) {
  if (!input.has_dims(0) || !input.has_dims(1) || input.args[1].dims.size() != 2) return true;
  const TensorArg& x = input.args[0];
  const TensorArg& w = input.args[1];
  Product p;
  p.k = x.dims.back();
  if (p.k != w.dims[1] || p.k == 0) return true;
  p.m = x.elements() / p.k;
  p.n = w.dims[0];
  set(cost, p, x, w, output_type(x));
  if (input.has_dims(2)) cost.reads.push_back(access_of(input.args[2]));
  return true;
}

// [tokens, k] with [experts, k, n]: each token meets one expert. [experts, ...] on both sides is a bmm.
bool grouped(OpCost& cost, const OpInput& input) {
  if (!input.has_dims(0) || !input.has_dims(1)) return true;
  const TensorArg& a = input.args[0];
  const TensorArg& b = input.args[1];
  if (a.dims.size() != 2 || b.dims.size() != 3) return plain(cost, input, 0);
  Product p;
  p.m = a.dims[0];
  p.k = a.dims[1];
  p.n = b.dims[1] == p.k ? b.dims[2] : b.dims[1];
  set(cost, p, a, b, output_type(a));
  return true;
}

// Weights of 4 bits, eight to an int32: the activation tells k, the packed tensor its own bytes.
bool packed(OpCost& cost, const OpInput& input) {
  if (!input.has_dims(0) || !input.has_dims(1)) return true;
  const TensorArg& x = input.args[0];
  const TensorArg& w = input.args[1];
  Product p;
  p.k = x.dims.back();
  p.m = p.k > 0 ? x.elements() / p.k : 0;
  const std::int64_t weights = w.elements() * element_bytes(w.type) * 2;
  p.n = p.k > 0 ? weights / p.k : 0;
  set(cost, p, x, w, x.type);
  for (std::size_t i = 2; i < input.args.size(); ++i) {
    if (input.has_dims(i)) cost.reads.push_back(access_of(input.args[i]));
  }
  return true;
}

}  // namespace

bool matmul_cost(std::string_view name, const OpInput& input, OpCost& cost) {
  if (name == "mm" || name == "bmm" || name == "matmul" || name == "mv" || name == "dot" || name == "vdot" ||
      name == "_scaled_mm" || name == "_int_mm") {
    return plain(cost, input, 0);
  }
  if (name == "addmm" || name == "baddbmm" || name == "addmv" || name == "_addmm_activation") {
    return with_addend(cost, input);
  }
  if (name == "linear") return linear(cost, input);
  if (name == "_grouped_mm" || name == "_scaled_grouped_mm") return grouped(cost, input);
  if (name == "_weight_int4pack_mm") return packed(cost, input);
  return false;
}

}  // namespace pagoda
