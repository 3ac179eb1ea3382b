#include "readers/ncu/table.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace pagoda::ncu {
namespace {

// Columns that identify a launch; every other column of the raw page is a metric.
constexpr std::array<std::string_view, 14> kIdentity = {
    "ID",          "Process ID", "Process Name", "Host Name",  "Kernel Name", "Function Name",
    "Kernel Time", "Context",    "Stream",       "Block Size", "Grid Size",   "Device",
    "CC",          "Invocations"};

bool is_identity(std::string_view name) {
  return std::find(kIdentity.begin(), kIdentity.end(), name) != kIdentity.end();
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The numbers of "(9, 32, 1)"; zeros where it says nothing.
std::array<std::uint32_t, 3> dimensions(std::string_view text) {
  std::array<std::uint32_t, 3> sizes{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint32_t& size : sizes) {
    while (at != end && (*at < '0' || *at > '9')) ++at;
    const auto parsed = std::from_chars(at, end, size);
    if (parsed.ec != std::errc{}) return {};
    at = parsed.ptr;
  }
  return sizes;
}

std::uint32_t metric_or_zero(const KernelCounters& kernel, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = kernel.metrics.find(name);
    if (found == kernel.metrics.end()) continue;
    if (found->second >= 1 && found->second <= std::numeric_limits<std::uint32_t>::max()) {
      return static_cast<std::uint32_t>(found->second);
    }
  }
  return 0;
}

void fill_launch_configuration(KernelCounters& kernel) {
  KernelDetails& details = kernel.details;
  if (details.grid[0] == 0) {
    details.grid = {metric_or_zero(kernel, {"launch__grid_dim_x"}),
                    metric_or_zero(kernel, {"launch__grid_dim_y"}),
                    metric_or_zero(kernel, {"launch__grid_dim_z"})};
  }
  if (details.block[0] == 0) {
    details.block = {metric_or_zero(kernel, {"launch__block_dim_x"}),
                     metric_or_zero(kernel, {"launch__block_dim_y"}),
                     metric_or_zero(kernel, {"launch__block_dim_z"})};
  }
  details.registers_per_thread =
      metric_or_zero(kernel, {"Registers Per Thread", "launch__registers_per_thread"});
  details.shared_memory_bytes =
      metric_or_zero(kernel, {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"}) +
      metric_or_zero(kernel, {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"});
}

}  // namespace

int Header::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

std::size_t Header::fields_needed() const {
  if (page == Page::raw) return names.size();
  return static_cast<std::size_t>(column(page == Page::summary ? "Average" : "Metric Value")) + 1;
}

std::optional<Header> Header::in(const Record& record) {
  const auto has = [&](std::string_view name) {
    return std::find(record.fields.begin(), record.fields.end(), name) != record.fields.end();
  };
  if (!has("Kernel Name") && !has("Function Name")) return std::nullopt;
  const bool rows_are_metrics = has("Metric Name");
  if (rows_are_metrics ? !has("Metric Value") && !has("Average") : !has("ID")) return std::nullopt;
  Header header;
  header.names = record.fields;
  header.quoted = record.text.starts_with('"');
  if (!rows_are_metrics) header.page = Page::raw;
  if (rows_are_metrics && has("Average")) header.page = Page::summary;
  return header;
}

void Tables::begin(Header header) {
  header_ = std::move(header);
  units_.clear();
  ++tables_;
}

std::string_view Tables::cell(const Record& record, std::string_view column) const {
  const int at = header_.column(column);
  if (at < 0 || static_cast<std::size_t>(at) >= record.fields.size()) return {};
  return record.fields[static_cast<std::size_t>(at)];
}

void Tables::add(const Record& record) {
  const bool too_long = record.fields.size() > header_.names.size();
  if (!record.whole || too_long || record.fields.size() < header_.fields_needed()) {
    trace_.diagnostics.add("ragged_row", record.byte_offset, record.text);
    return;
  }
  if (header_.page == Header::Page::raw) {
    add_raw_row(record);
  } else {
    add_metric_row(record);
  }
}

KernelCounters& Tables::kernel_of(const Record& record) {
  const std::string_view full = cell(record, "Kernel Name");
  const std::string_view name = full.empty() ? cell(record, "Function Name") : full;
  // A launch is one ID of one process; a summary has no IDs and is told apart by what it sums over.
  std::string key = std::to_string(tables_);
  const auto part = [&](std::string_view text) { key.append(1, '\x1f').append(text); };
  part(cell(record, "ID"));
  part(cell(record, "Process ID"));
  if (header_.page == Header::Page::summary) {
    for (std::string_view column : {"Context", "Stream", "Block Size", "Grid Size", "Device"}) {
      part(cell(record, column));
    }
    part(name);
  }
  const auto [found, fresh] =
      kernel_rows_.try_emplace(std::move(key), static_cast<std::uint32_t>(trace_.counters.size()));
  if (!fresh) return trace_.counters[found->second];
  KernelCounters& kernel = trace_.counters.emplace_back();
  kernel.name = trace_.strings.intern(name);
  kernel.order = found->second;
  kernel.device_cc = cell(record, "CC");
  kernel.details.grid = dimensions(cell(record, "Grid Size"));
  kernel.details.block = dimensions(cell(record, "Block Size"));
  if (header_.page == Header::Page::summary)
    add_metric(kernel, "Invocations", "", cell(record, "Invocations"));
  note_device(cell(record, "Device"), kernel.device_cc, cell(record, "device__attribute_display_name"));
  return kernel;
}

/// The Device column holds an ordinal, in some versions a name.
void Tables::note_device(std::string_view device, std::string_view cc, std::string_view name) {
  if (device.empty()) return;
  Device described;
  if (is_all_digits(device)) {
    std::from_chars(device.data(), device.data() + device.size(), described.id);
    described.name = name;
  } else {
    described.id = static_cast<std::int64_t>(trace_.devices.size());
    described.name = device;
  }
  const bool by_name = !is_all_digits(device);
  for (const Device& known : trace_.devices) {
    if (by_name ? known.name == described.name : known.id == described.id) return;
  }
  const auto major = std::from_chars(cc.data(), cc.data() + cc.size(), described.compute_major);
  if (major.ec == std::errc{} && major.ptr != cc.data() + cc.size()) {
    std::from_chars(major.ptr + 1, cc.data() + cc.size(), described.compute_minor);
  }
  trace_.devices.push_back(std::move(described));
}

void Tables::add_metric_row(const Record& record) {
  ++trace_.event_count;
  KernelCounters& kernel = kernel_of(record);
  const std::string_view name = cell(record, "Metric Name");
  if (name.empty()) return;  // the verdict of a rule
  const std::string_view unit = cell(record, "Metric Unit");
  if (header_.page == Header::Page::details) {
    add_metric(kernel, name, unit, cell(record, "Metric Value"));
    return;
  }
  add_metric(kernel, name, unit, cell(record, "Average"));
  add_metric(kernel, std::string(name) + " (min)", unit, cell(record, "Minimum"));
  add_metric(kernel, std::string(name) + " (max)", unit, cell(record, "Maximum"));
}

void Tables::add_raw_row(const Record& record) {
  const bool names_a_launch = !cell(record, "ID").empty();
  if (!names_a_launch && units_.empty()) {
    units_ = record.fields;
    return;
  }
  if (!names_a_launch) {
    trace_.diagnostics.add("ragged_row", record.byte_offset, record.text);
    return;
  }
  ++trace_.event_count;
  KernelCounters& kernel = kernel_of(record);
  for (std::size_t at = 0; at < record.fields.size(); ++at) {
    if (is_identity(header_.names[at])) continue;
    add_metric(kernel, header_.names[at], at < units_.size() ? units_[at] : "", record.fields[at]);
  }
}

void Tables::add_metric(KernelCounters& kernel, std::string_view name, std::string_view unit,
                        std::string_view text) {
  const auto value = parse_number(text, style_);
  if (!value) {
    if (looks_like_number(text)) trace_.diagnostics.add("unreadable_number", {}, text);
    return;  // "n/a" is missing, a word such as "CachePreferNone" is no counter
  }
  if (style_ == NumberStyle::unknown && style_of(text) == NumberStyle::unknown &&
      text.find_first_of(".,") != std::string_view::npos) {
    trace_.diagnostics.add("ambiguous_number", {}, text);
    return;
  }
  const Unit base = parse_unit(unit);
  // "Memory Throughput" is a percentage in one section and bytes per second in another.
  std::string key(name);
  if (name == "Memory Throughput" && base.base == "byte/second") key += " [byte/second]";
  const double scaled = *value * base.factor;
  const auto [known, fresh] = kernel.metrics.try_emplace(std::move(key), scaled);
  if (!fresh && known->second != scaled) {
    trace_.diagnostics.add("conflicting_metric", {}, known->first);
  }
}

void Tables::finish() {
  for (KernelCounters& kernel : trace_.counters) fill_launch_configuration(kernel);
}

}  // namespace pagoda::ncu
