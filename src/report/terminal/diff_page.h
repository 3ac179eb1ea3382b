#pragma once
#include <string>

#include "advice/diff.h"
#include "report/messages/render.h"

namespace pagoda {

struct DiffPageOptions {
  bool colour = false;
  bool verbose = false;
  Language language = Language::english;
};

/// What changed, operator by operator, and what had been promised.
std::string diff_page(const Diff& diff, const DiffPageOptions& options = {});
/// The same as `pagoda.diff/1`.
std::string diff_json(const Diff& diff);

}  // namespace pagoda
