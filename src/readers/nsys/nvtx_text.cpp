#include "readers/nsys/nvtx_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace pagoda::nsys {
namespace {

constexpr std::array<std::string_view, 4> kSuffixes = {
    ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return value;
}

/// The bracketed list at the start of `text` without its blanks; empty when it is cut short or holds anything
/// but numbers.
std::string balanced_list(std::string_view text) {
  std::string list;
  int depth = 0;
  for (char c : text) {
    if (c == ' ') continue;
    const bool expected = (c >= '0' && c <= '9') || c == '-' || c == ',' || c == '[' || c == ']';
    if (!expected || (list.empty() && c != '[')) return {};
    list += c;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return list;
  }
  return {};
}

/// "aten::mm", "c10d::allreduce_", "autograd::engine::evaluate_function: MmBackward0": a namespace in front,
/// and no blank before it.
bool has_namespace(std::string_view name) {
  const std::size_t colons = name.find("::");
  if (colons == 0 || colons == std::string_view::npos) return false;
  return std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colons),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

}  // namespace

NvtxText parse_nvtx_text(std::string_view text) {
  std::size_t name_end = text.size();
  for (std::string_view suffix : kSuffixes) name_end = std::min(name_end, text.find(suffix));
  NvtxText parsed;
  parsed.name = text.substr(0, name_end);
  const std::string_view rest = text.substr(name_end);
  parsed.is_op = !rest.empty() || has_namespace(parsed.name);
  parsed.sequence_number = integer_after(rest, kSuffixes[0]);
  const std::size_t sizes = rest.find(kSuffixes[2]);
  if (sizes != std::string_view::npos) {
    parsed.dims = balanced_list(rest.substr(sizes + kSuffixes[2].size()));
  }
  return parsed;
}

}  // namespace pagoda::nsys
