#include "analysis/cost_tensors.h"

#include <charconv>
#include <utility>

namespace pagoda {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

/// The elements of a JSON array, split at its own level.
std::vector<std::string_view> elements_of(std::string_view json) {
  std::vector<std::string_view> parts;
  json = trimmed(json);
  if (json.size() < 2 || json.front() != '[' || json.back() != ']') return parts;
  json = json.substr(1, json.size() - 2);
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
      parts.push_back(trimmed(json.substr(from, i - from)));
      from = i + 1;
    }
  }
  if (from < json.size() || !parts.empty())
    parts.push_back(trimmed(json.substr(std::min(from, json.size()))));
  return parts;
}

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<std::int64_t>> integers_of(std::string_view json) {
  std::vector<std::int64_t> result;
  for (std::string_view part : elements_of(json)) {
    const auto value = integer(part);
    if (!value || *value < 0) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

// [[2,3],[4]] for a list of tensors; the strides have the same form.
void fill_list(TensorArg& arg, std::string_view dims, std::string_view strides) {
  const auto parts = elements_of(dims);
  const auto stride_parts = elements_of(strides);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto sizes = integers_of(parts[i]);
    if (!sizes || parts[i].empty() || parts[i].front() != '[') continue;
    TensorArg item;
    item.dims = *sizes;
    item.given = true;
    if (i < stride_parts.size())
      item.strides = integers_of(stride_parts[i]).value_or(std::vector<std::int64_t>{});
    if (item.strides.size() != item.dims.size()) item.strides.clear();
    arg.list.push_back(std::move(item));
  }
  arg.given = arg.is_list = !arg.list.empty();
}

TensorArg tensor_of(std::string_view dims, std::string_view type, std::string_view strides) {
  TensorArg arg;
  if (dims.size() > 1 && dims[0] == '[' && dims[1] == '[') {
    fill_list(arg, dims, strides);
    return arg;
  }
  arg.type = data_type_of(type);
  const auto sizes = integers_of(dims);
  if (!sizes || arg.type == DataType::unknown) return arg;
  arg.given = true;
  arg.dims = *sizes;
  arg.strides = integers_of(strides).value_or(std::vector<std::int64_t>{});
  if (arg.strides.size() != arg.dims.size()) arg.strides.clear();
  return arg;
}

}  // namespace

DataType data_type_of(std::string_view recorded) {
  constexpr std::array<std::pair<std::string_view, DataType>, 30> kTypes = {{
      {"c10::BFloat16", DataType::bf16},
      {"c10::Half", DataType::f16},
      {"float", DataType::f32},
      {"double", DataType::f64},
      {"long int", DataType::i64},
      {"long", DataType::i64},
      {"int", DataType::i32},
      {"short int", DataType::i16},
      {"short", DataType::i16},
      {"signed char", DataType::i8},
      {"char", DataType::i8},
      {"unsigned char", DataType::u8},
      {"bool", DataType::boolean},
      {"c10::Float8_e4m3fn", DataType::f8},
      {"c10::Float8_e5m2", DataType::f8},
      {"c10::Float8_e4m3fnuz", DataType::f8},
      {"c10::Float8_e5m2fnuz", DataType::f8},
      {"c10::Float8_e8m0fnu", DataType::f8},
      {"c10::complex<float>", DataType::c64},
      {"c10::complex<double>", DataType::c128},
      {"bfloat16", DataType::bf16},
      {"half", DataType::f16},
      {"float16", DataType::f16},
      {"float32", DataType::f32},
      {"float64", DataType::f64},
      {"int64", DataType::i64},
      {"int32", DataType::i32},
      {"unsigned short", DataType::i16},
      {"unsigned int", DataType::i32},
      {"unsigned long", DataType::i64},
  }};
  for (const auto& [name, type] : kTypes) {
    if (name == recorded) return type;
  }
  return DataType::unknown;
}

int element_bytes(DataType type) {
  constexpr std::array<int, 14> kBytes = {0, 8, 4, 2, 2, 1, 8, 16, 8, 4, 2, 1, 1, 1};
  return kBytes[static_cast<std::size_t>(type)];
}

bool is_floating(DataType type) { return type >= DataType::f64 && type <= DataType::c128; }

std::int64_t TensorArg::elements() const {
  std::int64_t product = 1;
  for (std::int64_t size : dims) product *= size;
  return product;
}

std::int64_t TensorArg::stored_elements() const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return 0;
    if (strides.empty() || strides[i] != 0) product *= dims[i];
  }
  return product;
}

std::vector<std::int64_t> OpInput::integers(std::size_t index) const {
  if (index >= concrete.size()) return {};
  const std::string_view text = concrete[index];
  if (const auto one = integer(text)) return {*one};
  std::vector<std::int64_t> result;
  for (std::string_view part : elements_of(text)) {
    const auto value = integer(part);
    if (!value) return {};
    result.push_back(*value);
  }
  return result;
}

std::optional<bool> OpInput::boolean(std::size_t index) const {
  if (index >= concrete.size()) return std::nullopt;
  if (concrete[index] == "True" || concrete[index] == "true") return true;
  if (concrete[index] == "False" || concrete[index] == "false") return false;
  return std::nullopt;
}

OpInput parse_op_args(const Trace& trace, const OpArgs& args) {
  OpInput input;
  const auto dims = elements_of(trace.text(args.dims));
  const auto types = elements_of(trace.text(args.types));
  const auto strides = elements_of(trace.text(args.strides));
  for (std::size_t i = 0; i < dims.size(); ++i) {
    input.args.push_back(tensor_of(dims[i], i < types.size() ? unquoted(types[i]) : std::string_view(),
                                   i < strides.size() ? strides[i] : std::string_view()));
  }
  for (std::string_view part : elements_of(trace.text(args.concrete)))
    input.concrete.push_back(unquoted(part));
  return input;
}

}  // namespace pagoda
