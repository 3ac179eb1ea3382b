#include <algorithm>

#include "hardware/hardware.h"

namespace pagoda {
namespace {

bool is_described(const Device& device) { return !device.name.empty() || device.total_memory_bytes > 0; }

}  // namespace

std::optional<GpuSpec> find_gpu_of(const Trace& trace, const PeakOverride& override_with) {
  if (trace.devices.empty()) return find_gpu({}, Device{}, override_with);
  std::vector<Nanos> busy(trace.devices.size(), 0);
  for (const GpuEvent& event : trace.gpu_events) {
    if (event.device < busy.size()) busy[event.device] += event.duration_ns;
  }
  const auto most = static_cast<std::size_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
  const Device* device = &trace.devices[most];
  if (!is_described(*device)) {
    for (const Device& other : trace.devices) {
      if (!is_described(other)) continue;
      const bool first = !is_described(*device);
      if (first) device = &other;
      const auto a = GpuCatalogue::built_in().find(device->name, *device);
      const auto b = GpuCatalogue::built_in().find(other.name, other);
      if (a.has_value() != b.has_value() || (a && a->id != b->id)) {
        return find_gpu({}, Device{}, override_with);
      }
    }
  }
  return find_gpu(device->name, *device, override_with);
}

}  // namespace pagoda
