#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pagoda::nsys {

/// The text of an NVTX range, taken apart. torch.autograd.profiler.emit_nvtx writes
/// "aten::mm, seq = 7, op_id = 42, sizes = [[2, 3], [3, 4]]"; each part after the name may be missing.
struct NvtxText {
  std::string_view name;
  bool is_op = false;
  std::optional<std::int64_t> sequence_number;
  std::string dims;  ///< "[[2,3],[3,4]]", empty where not recorded or not well formed
};
NvtxText parse_nvtx_text(std::string_view text);

}  // namespace pagoda::nsys
