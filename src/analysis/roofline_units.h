#pragma once
#include <optional>
#include <span>
#include <vector>

#include "analysis/roofline.h"
#include "analysis/work_units.h"

namespace pagoda {

/// What one unit does, held against the GPU.
struct UnitPrice {
  bool known = false;
  double flops = -1;
  double bytes_read = 0;  ///< from DRAM
  double bytes_written = 0;
  double l2_bytes = 0;     ///< read from L2: a kernel just wrote them
  double l2_external = 0;  ///< of these, written by another operator
  double roof_ns = -1;     ///< at the vendor's peaks
  Nanos floor_ns = -1;     ///< at the attainable ceilings, no less than kShortestKernelNs, no more than now
  MathType math = MathType::fp32;
  bool matrix = false;
  bool fp32_matmul = false;
  Bound bound = Bound::unknown;
  KnownBy known_by = KnownBy::none;
};

/// Prices every unit in the order in which the GPU ran them. `gpu` null: bytes and FLOP only.
std::vector<UnitPrice> price_units(const Work& work, const GpuSpec* gpu, const ExplainOptions& options);

/// The units of each draft in time order, in two arrays.
class Members {
 public:
  explicit Members(const Work& work);
  std::span<const std::uint32_t> operator[](std::uint32_t draft) const {
    return {units_.data() + starts_[draft], units_.data() + starts_[draft + 1]};
  }

 private:
  std::vector<std::uint32_t> starts_, units_;
};

/// DRAM bytes and FLOP that one fused kernel in place of a draft's units would need; -1 unknown.
struct FusedNeed {
  double bytes_read = -1;
  double bytes_written = -1;
  double flops = -1;
  double bytes() const { return bytes_read < 0 ? -1 : bytes_read + bytes_written; }
};

/// One entry per draft.
std::vector<FusedNeed> fused_needs(const Work& work, const std::vector<UnitPrice>& prices,
                                   const Members& members);

/// Maximal runs of memory-bound units, each reading what the one before wrote.
std::vector<FusionChain> find_chains(const Work& work, const std::vector<UnitPrice>& prices,
                                     const std::vector<std::uint32_t>& instance_of_draft);

/// Nanoseconds that a kernel of these needs at the attainable ceilings.
double attainable_ns(const GpuSpec& gpu, double bytes_read, double bytes_written, double flops, MathType math,
                     bool matrix);

}  // namespace pagoda
