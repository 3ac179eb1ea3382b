#include "hardware/hardware.h"

namespace pagoda {
namespace {

constexpr std::array<std::string_view, kMathTypeCount> kNames = {"fp64", "fp32", "tf32", "fp16", "bf16",
                                                                 "fp8",  "fp6",  "fp4",  "int8"};

}  // namespace

std::string_view math_type_name(MathType type) { return kNames[static_cast<std::size_t>(type)]; }

std::optional<MathType> math_type_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<MathType>(i);
  }
  return std::nullopt;
}

}  // namespace pagoda
