#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advice/plan.h"

namespace pagoda {

/// low <= likely <= high, as the policy gives it.
struct Prior {
  double low = 0;
  double likely = 0;
  double high = 0;
};

struct CudaRule {
  double above_fraction = 0.2;
  bool only_when_triton_falls_short = false;
};

/// Every threshold of the decision tree (policy.toml).
struct Policy {
  std::string preset;
  CudaRule cuda;
  double idle_fraction = 0;
  double keep_below_fraction = 0;
  double at_roof_fraction = 0;
  double least_gain_fraction = 0;
  double hours_per_month = 0;
  std::vector<std::pair<double, RoiBand>> bands;  ///< by the share from which each holds, ascending
  std::map<std::string, std::pair<double, double>, std::less<>> days;           ///< by tier
  std::map<std::string, double, std::less<>> difficulty;                        ///< by operator
  std::map<std::string, std::map<std::string, Prior>, std::less<>> efficiency;  ///< by operator, then tier
  Prior graph_gap_ns;
  Prior realised_saving;                                    ///< low is the smallest part
  std::map<std::string, Prior, std::less<>> host_extra_ns;  ///< by tier, and "attention"
  Prior input_remains;
  Prior overlap_remains;
  Prior layout_remains;  ///< of the kernels that convert a convolution's layout

  const RoiBand& band(double share_fraction) const;
  Prior efficiency_of(std::string_view operator_name, Tier tier) const;
  /// Host time of a call beyond that of a plain op.
  Prior host_extra_of(std::string_view operator_name, Tier tier) const;
  /// Working days of one engineer: low and high.
  std::pair<double, double> days_of(std::string_view operator_name, Tier tier) const;

  static const Policy& built_in();
  /// Throws Error that names the file, the line and what is wrong there.
  static Policy from_toml(std::string_view text, const std::string& path);
  static Policy from_file(const std::string& path);
  /// The same policy under another preset. Throws Error when there is none of that name.
  Policy with_preset(std::string_view name) const;

 private:
  std::map<std::string, CudaRule, std::less<>> presets_;
};

}  // namespace pagoda
