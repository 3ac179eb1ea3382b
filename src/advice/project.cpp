#include "advice/project.h"

#include <algorithm>

#include "advice/toml_reader.h"

namespace pagoda {

bool Project::has_skill(std::string_view skill) const {
  return std::find(skills.begin(), skills.end(), skill) != skills.end();
}

Project Project::from_toml(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  root.only({"fleet", "team", "project", "accuracy"});
  const auto check = [&](const char* table, const std::vector<std::string_view>& keys) {
    if (root.has(table)) root.table(table).only(keys);
  };
  check("fleet", {"gpu_hour_cost", "gpus"});
  check("team", {"day_cost", "skills"});
  check("project", {"deadline_days", "horizon_months"});
  check("accuracy", {"may_change_numerics"});
  Project project;
  const auto optional = [&](const char* table, const char* key) -> std::optional<double> {
    if (!root.has(table) || !root.table(table).has(key)) return std::nullopt;
    return root.table(table).number(key);
  };
  project.gpu_hour_cost = optional("fleet", "gpu_hour_cost");
  project.gpus = optional("fleet", "gpus").value_or(1);
  project.day_cost = optional("team", "day_cost");
  project.deadline_days = optional("project", "deadline_days");
  project.horizon_months = optional("project", "horizon_months");
  if (root.has("team")) project.skills = root.table("team").texts("skills");
  for (const std::string& skill : project.skills) {
    if (skill != "python" && skill != "triton" && skill != "cuda")
      root.table("team").fail("skills", "may hold python, triton and cuda");
  }
  if (root.has("accuracy") && root.table("accuracy").has("may_change_numerics"))
    project.changes_numerics_allowed = root.table("accuracy").flag("may_change_numerics");
  return project;
}

Project Project::from_file(const std::string& path) { return from_toml(read_text_file(path), path); }

std::string_view Project::commented_template() {
  return R"(# What a profile does not say. Give it to `pagoda plan --project project.toml`.
# Lines that stay commented out are "not given": reports then say so instead of guessing.

[fleet]
# gpu_hour_cost = 2.5     # of one GPU, in your currency
# gpus = 64               # that run this workload

[team]
# day_cost = 900          # of one engineer, in the same currency
# skills = ["python", "triton", "cuda"]

[project]
# deadline_days = 5
# horizon_months = 24     # how long the result will be maintained

[accuracy]
# may_change_numerics = false   # true: lower precision (fp8 weights) may be proposed
)";
}

}  // namespace pagoda
