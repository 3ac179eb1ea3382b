#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "analysis/collectives.h"

namespace pagoda {

std::string canonical_collective(std::string_view name) {
  std::string
      letters;  // lower case letters only: "ncclDevKernel_All_Gather" and "_allgather_base" look alike
  for (char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += static_cast<char>(std::tolower(c));
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kStems = {{
      {"reducescatter", "reducescatter"},
      {"allreduce", "allreduce"},
      {"allgather", "allgather"},
      {"alltoall", "alltoall"},
      {"broadcast", "broadcast"},
      {"barrier", "barrier"},
      {"sendrecv", "sendrecv"},
      {"scatter", "scatter"},
      {"gather", "gather"},
      {"reduce", "reduce"},
      {"send", "sendrecv"},
      {"recv", "sendrecv"},
  }};
  for (const auto& [stem, canonical] : kStems) {
    if (letters.find(stem) != std::string::npos) return std::string(canonical);
  }
  return std::string(name);
}

int dtype_bytes(std::string_view dtype) {
  std::string lower(dtype);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::pair<std::string_view, int>, 18> kSizes = {{
      {"float8", 1},
      {"bfloat16", 2},
      {"bf16", 2},
      {"half", 2},
      {"float16", 2},
      {"double", 8},
      {"float64", 8},
      {"float", 4},
      {"f32", 4},
      {"int64", 8},
      {"long", 8},
      {"short", 2},
      {"int8", 1},
      {"byte", 1},
      {"char", 1},
      {"bool", 1},
      {"uint8", 1},
      {"int", 4},
  }};
  for (const auto& [stem, bytes] : kSizes) {
    if (lower.find(stem) != std::string::npos) return bytes;
  }
  return 0;
}

double algorithm_bytes(const CollectiveCall& call) {
  const int size = dtype_bytes(call.dtype);
  if (size == 0) return -1;
  const std::string name = canonical_collective(call.name);
  // nccl-tests: all-gather counts what each rank ends with, reduce-scatter what each rank starts with.
  std::int64_t elements = std::max(call.in_elements, call.out_elements);
  if (name == "allgather" && call.out_elements <= call.in_elements && call.in_elements > 0) {
    if (call.group_size <= 0) return -1;
    elements = call.in_elements * call.group_size;
  }
  return elements > 0 ? static_cast<double>(elements) * size : -1;
}

double bus_factor(std::string_view name, std::int64_t group_size) {
  if (group_size <= 0) return -1;
  const double n = static_cast<double>(group_size);
  if (name == "allreduce") return 2 * (n - 1) / n;
  if (name == "allgather" || name == "reducescatter" || name == "alltoall") return (n - 1) / n;
  if (name == "broadcast" || name == "reduce" || name == "sendrecv") return 1;
  return -1;
}

}  // namespace pagoda
