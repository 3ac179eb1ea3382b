#include <array>
#include <cctype>
#include <string>

#include "trace/trace.h"

namespace pagoda {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "cudaLaunchKernel_ptsz" and "cuGraphLaunch_ptsz" are the per-thread-stream spellings; Nsight Systems also
// adds
// "_v7000" and the like. Matching on the stem covers them all.
constexpr std::array<std::string_view, 8> kLaunchStems = {"LaunchKernel", "LaunchCooperativeKernel",
                                                          "cuLaunch",     "cudaLaunch",
                                                          "hipLaunch",    "ModuleLaunch",
                                                          "ExtLaunch",    "LaunchDevice"};

}  // namespace

RuntimeCallKind classify_runtime_call(std::string_view name) {
  if (contains(name, "GraphLaunch")) return RuntimeCallKind::graph_launch;
  if (contains(name, "LaunchHostFunc")) return RuntimeCallKind::other;
  for (std::string_view stem : kLaunchStems) {
    if (contains(name, stem)) return RuntimeCallKind::kernel_launch;
  }
  if (contains(name, "Synchronize")) return RuntimeCallKind::synchronize;
  if (contains(name, "Memcpy") || contains(name, "memcpy")) return RuntimeCallKind::memcpy;
  if (contains(name, "Memset") || contains(name, "memset")) return RuntimeCallKind::memset;
  if (contains(name, "Malloc") || contains(name, "MemAlloc") || contains(name, "Free") ||
      contains(name, "HostAlloc") || contains(name, "HostRegister")) {
    return RuntimeCallKind::allocation;
  }
  return RuntimeCallKind::other;
}

}  // namespace pagoda
