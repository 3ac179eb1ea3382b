#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/tensor.h"

namespace pagoda::ops {

/// Refuses an argument: Error "rms_norm: argument `weight`: WHAT", exit code bad_input.
[[noreturn]] void refuse(std::string_view op, std::string_view argument, const std::string& what);

/// The checks that every operator shares. Each throws `refuse` with the argument named.
class Check {
 public:
  explicit Check(std::string_view op) : op_(op) {}

  /// Present (unless rows is 0), at least one column, and rows that do not overlap when written.
  void input(std::string_view argument, const ConstMatrix& matrix) const;
  void output(std::string_view argument, const ConstMatrix& matrix) const;
  void same_shape(std::string_view argument, const ConstMatrix& matrix, const ConstMatrix& like) const;
  void same_dtype(std::string_view argument, Dtype dtype, Dtype like) const;
  void dtype_in(std::string_view argument, Dtype dtype, std::initializer_list<Dtype> allowed) const;
  void vector(std::string_view argument, const ConstVector& vector, std::int64_t size) const;
  void that(bool holds, std::string_view argument, const std::string& what) const;

 private:
  std::string_view op_;
};

/// Throws Error (exit code our_bug) naming the call when `code` (a cudaError_t) is not success.
void check_cuda(int code, std::string_view what);

/// Figures of the current device that launches depend on; read once per device.
struct DeviceFacts {
  int index = 0;
  int compute_capability = 0;  ///< 90 for 9.0
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< that one CTA may opt in to
};
const DeviceFacts& device_facts();

/// True when 16-byte accesses are legal for every row of the matrix and its columns fill whole packets.
bool is_packed(const ConstMatrix& matrix);

}  // namespace pagoda::ops
