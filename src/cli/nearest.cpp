#include "cli/nearest.h"

#include <algorithm>
#include <numeric>

namespace pagoda {
namespace {

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& typed, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = typed.size() / 2;  // more edits than that, and it is another word
  for (const std::string& name : names) {
    if (typed.size() > 1 && name.starts_with(typed)) return name;
    const std::size_t needed = edits(typed.substr(0, 64), name);
    if (needed > fewest || (needed == fewest && !best.empty())) continue;
    fewest = needed;
    best = name;
  }
  return best;
}

}  // namespace pagoda
