#include <algorithm>
#include <tuple>

#include "analysis/roofline_units.h"

namespace pagoda {
namespace {

bool can_join(const Work& work, const std::vector<UnitPrice>& prices, std::uint32_t u) {
  const OpCost* cost = work.cost(work.units[u]);
  if (!cost || cost->matrix || cost->suspect || !prices[u].known) return false;
  return prices[u].bound == Bound::memory || prices[u].bound == Bound::latency;
}

// Bytes of what `from` wrote and `to` reads; one element hands nothing on worth a fusion.
double handed_on(const Work& work, std::uint32_t from, std::uint32_t to) {
  double bytes = 0;
  for (const Access& write : work.cost(work.units[from])->writes) {
    for (const Access& read : work.cost(work.units[to])->reads) {
      if (write.elements > 1 && write.same_tensor(read)) {
        bytes += write.bytes();
        break;
      }
    }
  }
  return bytes;
}

}  // namespace

std::vector<FusionChain> find_chains(const Work& work, const std::vector<UnitPrice>& prices,
                                     const std::vector<std::uint32_t>& instance_of_draft) {
  std::vector<FusionChain> chains;
  const auto count = static_cast<std::uint32_t>(work.units.size());
  for (std::uint32_t first = 0; first < count;) {
    std::uint32_t last = first;
    double handed = 0;
    while (last + 1 < count && can_join(work, prices, last) && can_join(work, prices, last + 1) &&
           work.units[last].stream == work.units[last + 1].stream) {
      const double bytes = handed_on(work, last, last + 1);
      if (bytes == 0) break;
      handed += bytes;
      ++last;
    }
    if (last > first) {
      FusionChain chain;
      chain.phase = work.units[first].phase;
      for (std::uint32_t u = first; u <= last; ++u) {
        const Unit& unit = work.units[u];
        for (std::uint32_t i = 0; i < unit.event_count; ++i) {
          chain.gpu_events.push_back(work.events[unit.first_event + i]);
        }
        const std::uint32_t instance = instance_of_draft[unit.draft];
        if (std::find(chain.instances.begin(), chain.instances.end(), instance) == chain.instances.end()) {
          chain.instances.push_back(instance);
        }
        chain.time_ns += unit.time_ns;
        chain.bytes += work.cost(unit)->bytes();
      }
      // Each tensor handed on is neither written nor read again; one that later kernels need too is written
      // still.
      chain.floor_bytes = std::max(0.0, chain.bytes - 2 * handed);
      chains.push_back(std::move(chain));
    }
    first = last + 1;
  }
  std::sort(chains.begin(), chains.end(), [](const FusionChain& a, const FusionChain& b) {
    return std::tuple(b.bytes - b.floor_bytes, a.gpu_events.front()) <
           std::tuple(a.bytes - a.floor_bytes, b.gpu_events.front());
  });
  return chains;
}

}  // namespace pagoda
