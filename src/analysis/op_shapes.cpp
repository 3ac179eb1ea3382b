#include <array>
#include <utility>

#include "analysis/operators.h"

namespace pagoda {
namespace {

/// The elements of a JSON array given as text, split at its own level; tolerant of damage.
std::vector<std::string_view> elements(std::string_view json) {
  std::vector<std::string_view> parts;
  if (json.size() < 2 || json.front() != '[') return parts;
  json = json.substr(1, json.back() == ']' ? json.size() - 2 : json.size() - 1);
  int depth = 0;
  bool quoted = false;
  std::size_t from = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(json.substr(from, i - from));
      from = i + 1;
    }
  }
  if (from < json.size() || !parts.empty()) parts.push_back(json.substr(from));
  return parts;
}

// "[]" is a scalar, a string or an argument that was not given.
bool is_tensor(std::string_view dims) { return dims.size() > 2; }

}  // namespace

std::string readable_shapes(std::string_view dims_json) {
  std::string text;
  for (std::string_view dims : elements(dims_json)) {
    if (!is_tensor(dims)) continue;
    if (!text.empty()) text += ' ';
    text += dims;
  }
  return text;
}

std::string readable_dtypes(std::string_view types_json, std::string_view dims_json) {
  const auto types = elements(types_json);
  const auto dims = elements(dims_json);
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i >= dims.size() || !is_tensor(dims[i])) continue;
    std::string_view type = types[i];
    if (type.size() >= 2 && type.front() == '"') type = type.substr(1, type.size() - 2);
    if (!text.empty()) text += ' ';
    text += dtype_name(type);
  }
  return text;
}

std::string_view dtype_name(std::string_view recorded) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kNames = {{
      {"c10::BFloat16", "bfloat16"},
      {"c10::Half", "float16"},
      {"float", "float32"},
      {"double", "float64"},
      {"long int", "int64"},
      {"long", "int64"},
      {"int", "int32"},
      {"short int", "int16"},
      {"short", "int16"},
      {"signed char", "int8"},
      {"unsigned char", "uint8"},
      {"bool", "bool"},
      {"c10::Float8_e4m3fn", "float8_e4m3fn"},
      {"c10::Float8_e5m2", "float8_e5m2"},
      {"c10::Float8_e4m3fnuz", "float8_e4m3fnuz"},
      {"c10::Float8_e5m2fnuz", "float8_e5m2fnuz"},
      {"c10::complex<float>", "complex64"},
      {"c10::complex<double>", "complex128"},
  }};
  for (const auto& [from, to] : kNames) {
    if (from == recorded) return to;
  }
  return recorded;
}

}  // namespace pagoda
