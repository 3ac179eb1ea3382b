#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/cost_tensors.h"
#include "hardware/hardware.h"

namespace pagoda {

/// A tensor that an op reads or writes once.
struct Access {
  std::int64_t elements = 0;
  int bytes_each = 0;
  double bytes() const { return static_cast<double>(elements) * bytes_each; }
  bool same_tensor(const Access& other) const {
    return elements == other.elements && bytes_each == other.bytes_each;
  }
};

/// What one call of an op computes and moves. Bytes are compulsory ones: each input once, each output once.
struct OpCost {
  bool known = false;
  bool suspect = false;                    ///< recorded shapes may be those of base buffers (Triton views)
  bool matrix = false;                     ///< its FLOP can run on tensor cores
  double flops = -1;                       ///< done; causal attention of a fused kernel: visible pairs only
  double floor_flops = -1;                 ///< needed
  double matrix_rows = 0;                  ///< GEMM: the smaller of m and n per batch; 0 for other ops
  DataType data_type = DataType::unknown;  ///< of the multiplied or, else, the main operand
  std::vector<Access> reads;
  std::vector<Access> writes;

  double read_bytes() const;
  double written_bytes() const;
  double bytes() const { return read_bytes() + written_bytes(); }
};

/// What the kernel's name adds to the op's arguments.
struct KernelHint {
  int element_bytes = 0;  ///< of list arguments, whose types the profiler does not record; 0: unknown
};

/// FLOP and bytes of one op call; `known` false where shapes are missing or no rule exists. Counts exactly:
/// mm of [m,k] and [k,n] is 2mnk; attention is 2*B*H*(D+Dv) per visible pair of query and key, backward 2.5
/// times that. Linear in the number of arguments.
OpCost cost_of(std::string_view op_name, const OpInput& input, const KernelHint& hint = {});

/// "aten::add_" -> "add", "aten::mm.out" -> "mm": the name under which the rules know an op.
std::string_view base_op_name(std::string_view op_name);

/// Families of rules, in cost_*.cpp. Each returns false when the op is none of its own.
bool matmul_cost(std::string_view name, const OpInput& input, OpCost& cost);
bool attention_cost(std::string_view name, const OpInput& input, OpCost& cost);
bool convolution_cost(std::string_view name, const OpInput& input, OpCost& cost);
bool pointwise_cost(std::string_view name, const OpInput& input, OpCost& cost);
bool reduction_cost(std::string_view name, const OpInput& input, OpCost& cost);
bool movement_cost(std::string_view name, const OpInput& input, const KernelHint& hint, OpCost& cost);
bool list_cost(std::string_view name, const OpInput& input, const KernelHint& hint, OpCost& cost);
bool triton_cost(std::string_view name, const OpInput& input, OpCost& cost);

/// Shared by the rules.
Access access_of(const TensorArg& tensor);
Access access_of(std::int64_t elements, DataType type);

}  // namespace pagoda
