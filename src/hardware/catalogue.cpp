#include <algorithm>
#include <fstream>
#include <iterator>

#include <toml++/toml.h>

#include "core/error.h"
#include "hardware/hardware.h"

namespace pagoda {
namespace embedded {
extern const std::string_view gpus_toml;
}  // namespace embedded
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// One [[gpu]] table; every complaint names the file and the line.
class Entry {
 public:
  Entry(const toml::table& table, const std::string& path) : table_(table), path_(path) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(what + " (line " + std::to_string(node.source().begin.line) + ")", {path_, std::nullopt},
                "see src/hardware/gpus.toml for the form");
  }
  std::string text(std::string_view key, bool required = true) const {
    const toml::node* node = table_.get(key);
    if (!node && !required) return {};
    if (!node || !node->is_string()) fail(node ? *node : table_, "'" + std::string(key) + "' must be a text");
    return node->value_or(std::string());
  }
  double number(std::string_view key, bool required = false) const {
    const toml::node* node = table_.get(key);
    if (!node && !required) return 0;
    return number_of(node ? *node : table_, key);
  }
  double number_of(const toml::node& node, std::string_view key) const {
    const auto value = node.value<double>();
    if (!value || !(*value >= 0)) fail(node, "'" + std::string(key) + "' must be a number, not negative");
    return *value;
  }
  const toml::table* sub(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (!node) return nullptr;
    if (!node->is_table()) fail(*node, "'" + std::string(key) + "' must be a table");
    return node->as_table();
  }
  std::array<double, kMathTypeCount> peaks(std::string_view key) const {
    std::array<double, kMathTypeCount> result{};
    const toml::table* table = sub(key);
    if (!table) return result;
    for (const auto& [name, node] : *table) {
      const auto type = math_type_of(name.str());
      if (!type) fail(node, "'" + std::string(name.str()) + "' is no number format");
      result[static_cast<std::size_t>(*type)] = number_of(node, name.str()) * 1e12;
    }
    return result;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> result;
    if (const toml::node* node = table_.get(key)) {
      if (!node->is_array()) fail(*node, "'" + std::string(key) + "' must be a list of texts");
      for (const toml::node& item : *node->as_array()) result.push_back(lower(item.value_or("")));
    }
    return result;
  }
  std::pair<double, double> two(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (!node) return {0, 0};
    const toml::array* list = node->as_array();
    if (!list || list->size() != 2) fail(*node, "'" + std::string(key) + "' must be two numbers");
    return {number_of((*list)[0], key), number_of((*list)[1], key)};
  }

 private:
  const toml::table& table_;
  const std::string& path_;
};

std::optional<double> positive(double value, double unit) {
  return value > 0 ? std::optional(value * unit) : std::nullopt;
}

GpuSpec spec_of(const Entry& entry, const std::string& path) {
  GpuSpec gpu;
  gpu.id = entry.text("id");
  gpu.name = entry.text("name");
  gpu.arch = entry.text("arch", false);
  gpu.matrix_flops_per_s = entry.peaks("matrix");
  gpu.vector_flops_per_s = entry.peaks("vector");
  gpu.dram_bytes_per_s = entry.number("dram_tb_per_s", true) * 1e12;
  gpu.dram_bytes = static_cast<std::uint64_t>(entry.number("dram_gb") * 1e9);
  gpu.l2_bytes = static_cast<std::uint64_t>(entry.number("l2_mib") * 1024 * 1024);
  gpu.sm_count = static_cast<int>(entry.number("sm_count"));
  gpu.interconnect = entry.text("interconnect", false);
  gpu.interconnect_bytes_per_s = entry.number("interconnect_gb_per_s") * 1e9;
  gpu.pcie_bytes_per_s = entry.number("pcie_gb_per_s") * 1e9;
  gpu.source = entry.text("source");
  if (const toml::table* table = entry.sub("measured")) {
    const Entry measured(*table, path);
    gpu.measured_copy_bytes_per_s = positive(measured.number("copy_tb_per_s"), 1e12);
    gpu.measured_read_bytes_per_s = positive(measured.number("read_tb_per_s"), 1e12);
    gpu.measured_write_bytes_per_s = positive(measured.number("write_tb_per_s"), 1e12);
    gpu.measured_matmul_flops_per_s = measured.peaks("matmul");
    gpu.measured_source = measured.text("source");
  }
  return gpu;
}

toml::table parse(std::string_view text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw Error("cannot read the GPU catalogue: " + std::string(error.description()) + " (line " +
                    std::to_string(error.source().begin.line) + ")",
                {path, std::nullopt}, "see src/hardware/gpus.toml for the form");
  }
}

// How well a device's name speaks for an entry: the length of the longest pattern in it.
std::size_t name_score(const std::vector<std::string>& names, std::string_view lower_name) {
  std::size_t best = 0;
  for (const std::string& name : names) {
    if (lower_name.find(name) != std::string_view::npos) best = std::max(best, name.size());
  }
  return best;
}

}  // namespace

GpuCatalogue GpuCatalogue::from_toml(std::string_view text, const std::string& path) {
  const toml::table root = parse(text, path);
  const toml::array* list = root["gpu"].as_array();
  if (!list) throw Error("a GPU catalogue needs [[gpu]] tables", {path, std::nullopt});
  GpuCatalogue catalogue;
  for (const toml::node& node : *list) {
    if (!node.is_table()) throw Error("'gpu' must be [[gpu]] tables", {path, std::nullopt});
    const Entry entry(*node.as_table(), path);
    catalogue.gpus_.push_back(spec_of(entry, path));
    const toml::table* table = entry.sub("match");
    if (!table) entry.fail(node, "'match' is missing");
    const Entry match(*table, path);
    Match rule;
    rule.names = match.texts("names");
    rule.not_names = match.texts("not_names");
    std::tie(rule.memory_gb_min, rule.memory_gb_max) = match.two("memory_gb");
    rule.sm_count = static_cast<int>(match.number("sm_count"));
    const auto [major, minor] = match.two("compute");
    rule.compute_major = static_cast<int>(major);
    rule.compute_minor = static_cast<int>(minor);
    catalogue.matches_.push_back(std::move(rule));
  }
  return catalogue;
}

GpuCatalogue GpuCatalogue::from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot open the GPU catalogue", {path, std::nullopt});
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return from_toml(text, path);
}

const GpuCatalogue& GpuCatalogue::built_in() {
  static const GpuCatalogue catalogue = from_toml(embedded::gpus_toml, "gpus.toml");
  return catalogue;
}

// A property that the profile does not state excludes nothing, except that a device without a name is known
// by its properties alone and so must state them.
bool GpuCatalogue::fits(const Match& match, std::string_view lower_name, const Device& properties) {
  const auto contains = [&](std::string_view part) {
    return lower_name.find(part) != std::string_view::npos;
  };
  const bool nameless = lower_name.empty();
  if (!nameless && name_score(match.names, lower_name) == 0) return false;
  if (contains(" mig ") || std::any_of(match.not_names.begin(), match.not_names.end(), contains))
    return false;
  const double memory_gb = static_cast<double>(properties.total_memory_bytes) / 1e9;
  if (match.memory_gb_max > 0 && (memory_gb > 0 || nameless) &&
      (memory_gb < match.memory_gb_min || memory_gb > match.memory_gb_max)) {
    return false;
  }
  if (match.sm_count > 0 && (properties.sm_count > 0 || nameless) && properties.sm_count != match.sm_count) {
    return false;
  }
  const bool states_compute = properties.compute_major > 0;
  if ((states_compute || nameless) &&
      (properties.compute_major != match.compute_major || properties.compute_minor != match.compute_minor)) {
    return match.compute_major == 0 && !nameless;
  }
  return !nameless || (match.memory_gb_max > 0 && match.sm_count > 0);
}

std::optional<GpuSpec> GpuCatalogue::find(std::string_view device_name, const Device& properties) const {
  const std::string name = lower(device_name);
  std::optional<std::size_t> best;
  std::size_t best_score = 0;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (!fits(matches_[i], name, properties)) continue;
    if (name.empty() && best) return std::nullopt;  // two models fit: unknown
    const std::size_t score = name_score(matches_[i].names, name);
    if (!best || score > best_score) {
      best = i;
      best_score = score;
    }
  }
  if (!best) return std::nullopt;
  return gpus_[*best];
}

std::optional<GpuSpec> find_gpu(std::string_view device_name, const Device& properties,
                                const PeakOverride& override_with) {
  std::optional<GpuSpec> gpu = GpuCatalogue::built_in().find(device_name, properties);
  const bool overridden = override_with.flops_per_s || override_with.bytes_per_s;
  if (!gpu && !overridden) return std::nullopt;
  if (!gpu) {
    gpu.emplace();
    gpu->id = "user";
    gpu->name = device_name.empty() ? "unnamed GPU" : std::string(device_name);
    gpu->source = "stated by the user";
    gpu->dram_bytes = properties.total_memory_bytes;
    gpu->dram_bytes_per_s = static_cast<double>(properties.memory_bandwidth_bytes_per_s);
  }
  if (properties.sm_count > 0) gpu->sm_count = properties.sm_count;
  if (properties.l2_bytes > 0) gpu->l2_bytes = std::max(gpu->l2_bytes, properties.l2_bytes);
  if (override_with.flops_per_s) {
    for (MathType type : {MathType::fp16, MathType::bf16}) {
      gpu->matrix_flops_per_s[static_cast<std::size_t>(type)] = *override_with.flops_per_s;
    }
    gpu->measured_matmul_flops_per_s = {};
  }
  if (override_with.bytes_per_s) {
    gpu->dram_bytes_per_s = *override_with.bytes_per_s;
    gpu->measured_copy_bytes_per_s.reset();
    gpu->measured_read_bytes_per_s.reset();
    gpu->measured_write_bytes_per_s.reset();
  }
  gpu->overridden = overridden;
  return gpu;
}

}  // namespace pagoda
