#include "readers/nsys/copy_names.h"

namespace pagoda::nsys {
namespace {

// The numbering of exports that carry no ENUM_ tables. It is Nsight's own: CUPTI numbers memories
// differently.
const std::map<std::int64_t, std::string> kDirections = {
    {1, "HtoD"},          {2, "DtoH"},          {3, "HtoA"},         {4, "AtoH"}, {5, "AtoA"},
    {6, "AtoD"},          {7, "DtoA"},          {8, "DtoD"},         {9, "HtoH"}, {10, "PtoP"},
    {11, "Unified HtoD"}, {12, "Unified DtoH"}, {13, "Unified DtoD"}};
const std::map<std::int64_t, std::string> kMemories = {
    {0, "Pageable"}, {1, "Pinned"},        {2, "Device"},        {3, "Array"},
    {4, "Managed"},  {5, "Device Static"}, {6, "Managed Static"}};

/// "CUDA_MEMCPY_KIND_UVM_HTOD" -> "Unified HtoD"; empty for a symbol of another form.
std::string direction_of(std::string_view symbol) {
  constexpr std::string_view kPrefix = "CUDA_MEMCPY_KIND_";
  if (!symbol.starts_with(kPrefix)) return {};
  symbol.remove_prefix(kPrefix.size());
  std::string name;
  if (symbol.starts_with("UVM_")) {
    name = "Unified ";
    symbol.remove_prefix(4);
  }
  if (symbol.size() != 4 || symbol.substr(1, 2) != "TO") return {};
  return name + symbol.front() + "to" + symbol.back();
}

}  // namespace

CopyNames::CopyNames(const Database& database) : directions_(kDirections), memories_(kMemories) {
  Rows directions(database, "ENUM_CUDA_MEMCPY_OPER", {"id", "name"});
  while (directions.next()) {
    const std::string name = direction_of(directions.text(1).value_or(""));
    if (directions.integer(0) && !name.empty()) directions_[*directions.integer(0)] = name;
  }
  Rows memories(database, "ENUM_CUDA_MEM_KIND", {"id", "label"});
  while (memories.next()) {
    const std::string_view label = memories.text(1).value_or("");
    if (!memories.integer(0) || label.empty()) continue;
    memories_[*memories.integer(0)] = label == "Unknown" ? "" : std::string(label);
  }
}

std::string CopyNames::memory_name(std::optional<std::int64_t> kind) const {
  if (!kind) return {};
  const auto found = memories_.find(*kind);
  return found == memories_.end() ? "" : found->second;
}

std::string CopyNames::memcpy(std::optional<std::int64_t> kind, std::optional<std::int64_t> source,
                              std::optional<std::int64_t> destination) const {
  std::string name = "Memcpy";
  if (kind) {
    const auto found = directions_.find(*kind);
    if (found != directions_.end()) name += " " + found->second;
  }
  const std::string from = memory_name(source);
  const std::string to = memory_name(destination);
  if (from.empty() && to.empty()) return name;
  return name + " (" + (from.empty() ? "Unknown" : from) + " -> " + (to.empty() ? "Unknown" : to) + ")";
}

std::string CopyNames::memset(std::optional<std::int64_t> memory) const {
  const std::string where = memory_name(memory);
  return where.empty() ? "Memset" : "Memset (" + where + ")";
}

}  // namespace pagoda::nsys
