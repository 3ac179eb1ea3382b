#include "advice/catalogue.h"

#include <algorithm>
#include <set>

#include "advice/toml_reader.h"

namespace pagoda {
namespace embedded {
extern const std::string_view catalogue_toml;
}

namespace {

bool holds(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool runs_on(const Catalogue::Entry& entry, std::string_view arch) {
  if (entry.gpus.empty() || arch.empty()) return true;
  const std::string_view family = arch.starts_with("sm_") ? "nvidia" : arch.starts_with("gfx") ? "amd" : "";
  return holds(entry.gpus, arch) || holds(entry.gpus, family);
}

Tier tier_of(const TomlReader& row) {
  const std::string text = row.text("tier");
  for (Tier tier : {Tier::pytorch, Tier::triton, Tier::cuda, Tier::existing}) {
    if (text == tier_name(tier)) return tier;
  }
  row.fail("tier", "must be pytorch, triton, cuda or existing");
}

}  // namespace

Catalogue Catalogue::from_toml(std::string_view text, const std::string& path) {
  const TomlDocument document(text, path);
  Catalogue catalogue;
  std::set<std::string> ids;
  document.root().only({"implementation"});
  for (const TomlReader& row : document.root().tables("implementation")) {
    row.only({"id", "name", "operators", "tier", "licence", "gpus", "dtypes", "switch_on", "limits",
              "version", "url"});
    Entry entry;
    entry.implementation = {row.text("id"),      row.text("name"),      tier_of(row),
                            row.text("licence"), row.text("switch_on"), row.text("limits"),
                            row.text("version"), row.text("url")};
    entry.operators = row.texts("operators");
    entry.gpus = row.texts("gpus");
    entry.dtypes = row.texts("dtypes");
    if (entry.operators.empty()) row.fail("operators", "must name at least one");
    if (!ids.insert(entry.implementation.id).second) row.fail("id", "is there twice");
    catalogue.entries_.push_back(std::move(entry));
  }
  return catalogue;
}

Catalogue Catalogue::from_file(const std::string& path) { return from_toml(read_text_file(path), path); }

const Catalogue& Catalogue::built_in() {
  static const Catalogue catalogue = from_toml(embedded::catalogue_toml, "catalogue.toml");
  return catalogue;
}

std::vector<Implementation> Catalogue::find(std::string_view operator_name, std::string_view arch,
                                            std::string_view dtype) const {
  std::vector<Implementation> found;
  for (const Entry& entry : entries_) {
    if (!holds(entry.operators, operator_name) || !runs_on(entry, arch)) continue;
    if (!dtype.empty() && !entry.dtypes.empty() && !holds(entry.dtypes, dtype)) continue;
    found.push_back(entry.implementation);
  }
  return found;
}

}  // namespace pagoda
