#include <algorithm>

#include "analysis/work_units.h"

namespace pagoda {
namespace {

/// Per scope the innermost enclosing scope that is an operator as a whole; kNone where there is none.
std::vector<std::uint32_t> regions_of(const Trace& trace, std::vector<std::uint8_t>& kind_of_name) {
  constexpr std::uint8_t kUnseen = 0xFF;
  kind_of_name.assign(trace.strings.size(), kUnseen);
  std::vector<std::uint32_t> region(trace.scopes.size(), kNone);
  for (std::uint32_t row = 0; row < trace.scopes.size(); ++row) {  // parents come first
    const HostScope& scope = trace.scopes[row];
    if (scope.kind == ScopeKind::python || scope.kind == ScopeKind::module) {
      std::uint8_t& kind = kind_of_name[scope.name];
      if (kind == kUnseen) kind = static_cast<std::uint8_t>(kind_of_region(trace.text(scope.name)));
      if (kind != static_cast<std::uint8_t>(OperatorKind::other)) {
        region[row] = row;
        continue;
      }
    }
    if (scope.parent != kNone) region[row] = region[scope.parent];
  }
  return region;
}

}  // namespace

void recognise_regions(Work& work) {
  const auto& scopes = work.trace.scopes;
  const bool any = std::any_of(scopes.begin(), scopes.end(), [](const HostScope& scope) {
    return scope.kind == ScopeKind::python || scope.kind == ScopeKind::module;
  });
  if (!any) return;
  std::vector<std::uint8_t> kind_of_name;
  const auto region = regions_of(work.trace, kind_of_name);
  std::unordered_map<std::uint64_t, std::uint32_t> drafts;
  for (Unit& unit : work.units) {
    if (unit.scope == kNone || region[unit.scope] == kNone || unit.phase == Phase::communication) continue;
    const std::uint32_t row = region[unit.scope];
    const auto kind = static_cast<OperatorKind>(kind_of_name[work.trace.scopes[row].name]);
    const std::uint64_t key = static_cast<std::uint64_t>(row) << 32 | unit.stream;
    const auto [found, fresh] = drafts.try_emplace(key, kNone);
    if (fresh) found->second = work.add_draft(kind, RecognisedBy::module, 1, unit.phase);
    unit.draft = found->second;
  }
}

}  // namespace pagoda
