#include "common/triton_launch.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "common/check.h"
#include "core/error.h"

namespace pagoda::ops {
namespace {

// The driver is reached through the runtime, so that programs link and start on machines without one.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), name);
  if (found == nullptr) throw Error(std::string("the CUDA driver has no ") + name);
  return reinterpret_cast<Function>(found);
}

struct Driver {
  decltype(&cuModuleLoadData) load = driver_function<decltype(&cuModuleLoadData)>("cuModuleLoadData");
  decltype(&cuModuleGetFunction) function =
      driver_function<decltype(&cuModuleGetFunction)>("cuModuleGetFunction");
  decltype(&cuFuncSetAttribute) attribute =
      driver_function<decltype(&cuFuncSetAttribute)>("cuFuncSetAttribute");
  decltype(&cuLaunchKernel) launch = driver_function<decltype(&cuLaunchKernel)>("cuLaunchKernel");
};

const Driver& driver() {
  static const Driver kDriver;
  return kDriver;
}

void check_driver(CUresult code, const char* what, const TritonCubin& cubin) {
  if (code == CUDA_SUCCESS) return;
  throw Error(std::string(what) + " of the Triton kernel " + std::string(cubin.key) +
                  " failed: CUDA driver error " + std::to_string(code),
              {}, {}, ExitCode::our_bug);
}

CUfunction load(const TritonCubin& cubin) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check_driver(driver().load(&module, triton_cubin_bytes() + cubin.offset), "loading", cubin);
  check_driver(driver().function(&function, module, cubin.symbol), "looking up", cubin);
  if (cubin.shared_bytes > 48 * 1024) {
    check_driver(
        driver().attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, cubin.shared_bytes),
        "shared memory", cubin);
  }
  return function;
}

// A module belongs to a context; the runtime has one context a device.
CUfunction loaded(const TritonCubin& cubin) {
  constexpr int kMaxDevices = 64;
  using Slots = std::unique_ptr<std::atomic<CUfunction>[]>;
  static std::array<Slots, kMaxDevices> devices;
  static std::array<std::once_flag, kMaxDevices> once;
  static std::mutex mutex;
  const int device = device_facts().index;
  std::call_once(once[device], [device] {
    devices[device] = std::make_unique<std::atomic<CUfunction>[]>(triton_cubins().size());
  });
  auto& slot = devices[device][&cubin - triton_cubins().data()];
  if (CUfunction function = slot.load(std::memory_order_acquire)) return function;
  const std::lock_guard lock(mutex);
  if (CUfunction function = slot.load(std::memory_order_acquire)) return function;
  const CUfunction function = load(cubin);
  slot.store(function, std::memory_order_release);
  return function;
}

using Index = std::unordered_map<std::string_view, const TritonCubin*>;

// sm_80 code runs on 8.x; from 9.0 on the code is for that very chip (sm_90a).
bool runs_on(const TritonCubin& cubin, int capability) {
  return cubin.arch == capability ||
         (capability < 90 && cubin.arch / 10 == capability / 10 && cubin.arch <= capability);
}

Index index_for(int capability) {
  Index index;
  for (const TritonCubin& cubin : triton_cubins()) {
    if (!runs_on(cubin, capability)) continue;
    const auto [at, is_new] = index.try_emplace(cubin.key, &cubin);
    if (!is_new && cubin.arch > at->second->arch) at->second = &cubin;
  }
  return index;
}

}  // namespace

const TritonCubin* find_triton_cubin(std::string_view key) {
  static std::mutex mutex;
  static std::unordered_map<int, Index> indices;
  const int capability = device_facts().compute_capability;
  const std::lock_guard lock(mutex);
  auto at = indices.find(capability);
  if (at == indices.end()) at = indices.emplace(capability, index_for(capability)).first;
  const auto found = at->second.find(key);
  return found == at->second.end() ? nullptr : found->second;
}

const TritonCubin& triton_cubin(std::string_view key) {
  if (const TritonCubin* cubin = find_triton_cubin(key)) return *cubin;
  throw Error("the triton tier has no kernel " + std::string(key) + " for sm_" +
                  std::to_string(device_facts().compute_capability),
              {}, "use the cuda tier, or compile it: ops/common/compile_triton.py --archs");
}

void** TritonArguments::addresses() {
  values_[count_] = values_[count_ + 1] = 0;  // global and profile scratch
  for (int i = 0; i < count_ + 2; ++i) addresses_[i] = &values_[i];
  return addresses_.data();
}

void launch_triton(const TritonCubin& cubin, std::int64_t grid_x, std::int64_t grid_y, TritonArguments& args,
                   Stream stream) {
  if (grid_x > 0x7fffffff) refuse(cubin.symbol, "rows", "more than 2^31 - 1 programs would be needed");
  check_driver(driver().launch(loaded(cubin), static_cast<unsigned>(grid_x), static_cast<unsigned>(grid_y), 1,
                               static_cast<unsigned>(cubin.num_warps * 32), 1, 1,
                               static_cast<unsigned>(cubin.shared_bytes), stream, args.addresses(), nullptr),
               "launch", cubin);
}

int triton_row_block(std::int64_t cols, int largest) {
  if (cols <= 256) return 256;
  int block = 1024;
  while (block < cols) block *= 2;
  return block <= largest ? block : 0;
}

bool triton_aligned(const ConstMatrix& matrix) {
  return reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0 && matrix.cols % 16 == 0 &&
         matrix.row_stride % 16 == 0;
}

}  // namespace pagoda::ops
