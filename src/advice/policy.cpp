#include "advice/policy.h"

#include "advice/toml_reader.h"
#include "analysis/patterns.h"
#include "core/error.h"

namespace pagoda {
namespace embedded {
extern const std::string_view policy_toml;
}

namespace {

Prior prior_of(const TomlReader& table, std::string_view key) {
  const std::vector<double> numbers = table.numbers(key, 3);
  if (!(numbers[0] <= numbers[1] && numbers[1] <= numbers[2])) table.fail(key, "must be [low, likely, high]");
  return {numbers[0], numbers[1], numbers[2]};
}

/// Above 1 a kernel would beat its floor; 0 would take for ever.
Prior efficiency_prior(const TomlReader& table, std::string_view key) {
  const Prior prior = prior_of(table, key);
  if (prior.low <= 0 || prior.high > 1) table.fail(key, "must be above 0 and at most 1");
  return prior;
}

const std::vector<std::string_view> kWrittenTiers = {"existing", "triton", "cuda"};

/// Operators that a policy may speak of. gemm_fp8 is a GEMM whose operands are made fp8 first.
std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names = {"default", "gemm_fp8"};
  for (std::size_t kind = 0; kind < kOperatorKindCount; ++kind)
    names.push_back(operator_kind_name(static_cast<OperatorKind>(kind)));
  return names;
}

Prior scaled(Prior prior, double factor) {
  return {prior.low * factor, prior.likely * factor, prior.high * factor};
}

}  // namespace

const RoiBand& Policy::band(double share_fraction) const {
  const RoiBand* found = &bands.front().second;
  for (const auto& [from, row] : bands) {
    if (share_fraction >= from) found = &row;
  }
  return *found;
}

Prior Policy::efficiency_of(std::string_view operator_name, Tier tier) const {
  const std::string name(tier_name(tier));
  // A tier that an operator's own table leaves out is no better than that of any operator.
  for (const auto rows : {efficiency.find(operator_name), efficiency.find("default")}) {
    if (rows == efficiency.end()) continue;
    if (const auto row = rows->second.find(name); row != rows->second.end()) return row->second;
  }
  return {1, 1, 1};  // PyTorch: as it is
}

Prior Policy::host_extra_of(std::string_view operator_name, Tier tier) const {
  const auto own = host_extra_ns.find(operator_name);
  const auto row =
      own != host_extra_ns.end() && tier == Tier::existing ? own : host_extra_ns.find(tier_name(tier));
  return row == host_extra_ns.end() ? Prior{} : row->second;
}

std::pair<double, double> Policy::days_of(std::string_view operator_name, Tier tier) const {
  const auto [low, high] = days.find(tier_name(tier))->second;
  if (tier == Tier::existing || tier == Tier::pytorch) return {low, high};  // switching on is as easy for all
  const auto own = difficulty.find(operator_name);
  const double factor = own != difficulty.end() ? own->second : difficulty.find("default")->second;
  return {low * factor, high * factor};
}

Policy Policy::from_toml(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  const TomlReader root = document.root();
  root.only({"tree", "presets", "roi_band", "days", "difficulty", "efficiency", "graph", "realised",
             "host_extra_us", "remains"});
  Policy policy;
  const TomlReader tree = root.table("tree");
  tree.only({"preset", "idle_fraction", "keep_below_fraction", "at_roof_fraction", "least_gain_fraction",
             "fleet_hours_per_month"});
  policy.idle_fraction = tree.fraction("idle_fraction");
  policy.keep_below_fraction = tree.fraction("keep_below_fraction");
  policy.at_roof_fraction = tree.fraction("at_roof_fraction");
  policy.least_gain_fraction = tree.fraction("least_gain_fraction");
  policy.hours_per_month = tree.number("fleet_hours_per_month");
  const TomlReader presets = root.table("presets");
  for (const std::string& name : presets.keys()) {
    const TomlReader preset = presets.table(name);
    preset.only({"cuda_above_fraction", "only_when_triton_falls_short"});
    policy.presets_[name] = {preset.fraction("cuda_above_fraction"),
                             preset.flag("only_when_triton_falls_short")};
  }
  double last = -1;
  for (const TomlReader& row : root.tables("roi_band")) {
    row.only({"label", "from_fraction", "proposal", "cost"});
    const double from = row.fraction("from_fraction");
    if (from <= last) row.fail("from_fraction", "bands must ascend");
    if (!policy.bands.empty()) policy.bands.back().second.promised_high_fraction = from;
    policy.bands.emplace_back(from,
                              RoiBand{row.text("label"), from, 1.0, row.text("proposal"), row.text("cost")});
    last = from;
  }
  if (policy.bands.empty()) root.fail("roi_band", "there must be at least one");
  const TomlReader days = root.table("days");
  days.only({"existing", "pytorch", "triton", "cuda"});
  for (const char* tier : {"existing", "pytorch", "triton", "cuda"}) {
    const auto range = days.numbers(tier, 2);
    if (range[0] > range[1]) days.fail(tier, "must be [low, high]");
    policy.days[tier] = {range[0], range[1]};
  }
  const TomlReader difficulty = root.table("difficulty");
  difficulty.only(operator_names());
  for (const std::string& name : difficulty.keys()) policy.difficulty[name] = difficulty.number(name);
  if (!policy.difficulty.contains("default")) difficulty.fail("default", "is missing");
  const TomlReader efficiency = root.table("efficiency");
  efficiency.only(operator_names());
  for (const std::string& name : efficiency.keys()) {
    const TomlReader row = efficiency.table(name);
    row.only(kWrittenTiers);
    for (const std::string& tier : row.keys()) policy.efficiency[name][tier] = efficiency_prior(row, tier);
  }
  if (!policy.efficiency.contains("default")) efficiency.fail("default", "is missing");
  for (std::string_view tier : kWrittenTiers)
    policy.efficiency["default"][std::string(tier)] = efficiency_prior(efficiency.table("default"), tier);
  policy.graph_gap_ns = scaled(prior_of(root.table("graph"), "gap_us"), 1000);
  const TomlReader realised = root.table("realised");
  const std::vector<double> saving = realised.numbers("saving", 3);
  if (!(saving[0] >= saving[1] && saving[1] >= saving[2]))
    realised.fail("saving", "must be [best, likely, worst]");
  policy.realised_saving = {saving[2], saving[1], saving[0]};
  const TomlReader host = root.table("host_extra_us");
  host.only({"existing", "triton", "cuda", "attention"});
  for (const std::string& tier : host.keys()) policy.host_extra_ns[tier] = scaled(prior_of(host, tier), 1000);
  const TomlReader remains = root.table("remains");
  remains.only({"input", "overlap", "layout"});
  policy.input_remains = prior_of(remains, "input");
  policy.overlap_remains = prior_of(remains, "overlap");
  policy.layout_remains = prior_of(remains, "layout");
  return policy.with_preset(tree.text("preset"));
}

Policy Policy::with_preset(std::string_view name) const {
  const auto rule = presets_.find(name);
  if (rule == presets_.end()) {
    std::string known;
    for (const auto& [each, unused] : presets_) known += (known.empty() ? "" : ", ") + each;
    throw Error("no policy preset named '" + std::string(name) + "'", {"--preset", {}},
                "there are: " + known);
  }
  Policy policy = *this;
  policy.preset = name;
  policy.cuda = rule->second;
  return policy;
}

const Policy& Policy::built_in() {
  static const Policy policy = from_toml(embedded::policy_toml, "policy.toml");
  return policy;
}

Policy Policy::from_file(const std::string& path) { return from_toml(read_text_file(path), path); }

}  // namespace pagoda
