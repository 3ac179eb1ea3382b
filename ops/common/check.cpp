#include "common/check.h"

#include <array>
#include <mutex>

#include <cuda_runtime_api.h>

#include "core/error.h"

namespace pagoda::ops {

std::string_view dtype_name(Dtype dtype) {
  constexpr std::string_view kNames[] = {"fp32", "fp16", "bf16", "fp8", "int8", "int64"};
  return kNames[static_cast<int>(dtype)];
}

std::string_view tier_name(Tier tier) { return tier == Tier::triton ? "triton" : "cuda"; }

void refuse(std::string_view op, std::string_view argument, const std::string& what) {
  throw Error(std::string(op) + ": argument `" + std::string(argument) + "`: " + what);
}

void Check::that(bool holds, std::string_view argument, const std::string& what) const {
  if (!holds) refuse(op_, argument, what);
}

void Check::input(std::string_view argument, const ConstMatrix& matrix) const {
  that(matrix.rows >= 0, argument, "rows is " + std::to_string(matrix.rows) + ", must be 0 or more");
  that(matrix.cols >= 1, argument, "cols is " + std::to_string(matrix.cols) + ", must be 1 or more");
  that(matrix.cols < (std::int64_t{1} << 31), argument, "cols must be below 2^31");
  that(matrix.data != nullptr || matrix.rows == 0, argument, "is null");
  that(matrix.row_stride >= 0, argument, "row_stride is negative");
  const auto address = reinterpret_cast<std::uintptr_t>(matrix.data);
  that(address % static_cast<std::uintptr_t>(dtype_bytes(matrix.dtype)) == 0, argument,
       "data is not aligned to its element size");
}

void Check::output(std::string_view argument, const ConstMatrix& matrix) const {
  input(argument, matrix);
  that(matrix.rows <= 1 || matrix.row_stride >= matrix.cols, argument,
       "row_stride is below cols, so written rows would overlap");
}

void Check::same_shape(std::string_view argument, const ConstMatrix& matrix, const ConstMatrix& like) const {
  const auto text = [](const ConstMatrix& m) {
    return std::to_string(m.rows) + "x" + std::to_string(m.cols);
  };
  that(matrix.rows == like.rows && matrix.cols == like.cols, argument,
       "is " + text(matrix) + ", expected " + text(like));
}

void Check::same_dtype(std::string_view argument, Dtype dtype, Dtype like) const {
  that(dtype == like, argument,
       "is " + std::string(dtype_name(dtype)) + ", expected " + std::string(dtype_name(like)));
}

void Check::dtype_in(std::string_view argument, Dtype dtype, std::initializer_list<Dtype> allowed) const {
  std::string names;
  for (Dtype one : allowed) {
    if (one == dtype) return;
    names += (names.empty() ? "" : " or ") + std::string(dtype_name(one));
  }
  refuse(op_, argument, "is " + std::string(dtype_name(dtype)) + ", expected " + names);
}

void Check::vector(std::string_view argument, const ConstVector& vector, std::int64_t size) const {
  that(vector.data != nullptr, argument, "is null");
  that(vector.size == size, argument,
       "has " + std::to_string(vector.size) + " elements, expected " + std::to_string(size));
}

void check_cuda(int code, std::string_view what) {
  if (code == cudaSuccess) return;
  throw Error(std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(code)), {}, {},
              ExitCode::our_bug);
}

static DeviceFacts read_facts(int device) {
  int major = 0, minor = 0, count = 0, l2 = 0, shared = 0;
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device attribute");
  check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "device attribute");
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "device attribute");
  check_cuda(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "device attribute");
  check_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "device attribute");
  return {device, major * 10 + minor, count, l2, shared};
}

const DeviceFacts& device_facts() {
  constexpr int kMaxDevices = 64;
  static std::array<DeviceFacts, kMaxDevices> facts;
  static std::array<std::once_flag, kMaxDevices> once;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device >= kMaxDevices) throw Error("device index " + std::to_string(device) + " is not supported");
  std::call_once(once[device], [device] { facts[device] = read_facts(device); });
  return facts[device];
}

bool is_packed(const ConstMatrix& matrix) {
  const std::int64_t packet = 16 / dtype_bytes(matrix.dtype);
  return reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0 && matrix.cols % packet == 0 &&
         (matrix.rows <= 1 || matrix.row_stride % packet == 0);
}

}  // namespace pagoda::ops
