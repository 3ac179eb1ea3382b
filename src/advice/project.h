#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda {

/// What Pagoda can't read from a profile: money, people, deadlines (project.toml, or options of `pagoda
/// plan`).
struct Project {
  std::optional<double> gpu_hour_cost;  ///< of one GPU
  double gpus = 1;                      ///< in the fleet that runs this workload
  std::optional<double> day_cost;       ///< of one engineer
  std::optional<double> deadline_days;
  std::optional<double> horizon_months;  ///< how long the result will be maintained
  std::vector<std::string> skills;       ///< "python", "triton", "cuda"; empty: not given
  bool changes_numerics_allowed = false;

  bool has_skill(std::string_view skill) const;
  static Project from_toml(std::string_view text, const std::string& path);
  static Project from_file(const std::string& path);
  /// A commented file with every key, as `pagoda init` writes it.
  static std::string_view commented_template();
};

}  // namespace pagoda
