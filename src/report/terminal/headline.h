#pragma once
#include <string>
#include <vector>

#include "analysis/account.h"

namespace pagoda {

/// What dominates, in one to three sentences a lead can act on.
std::vector<std::string> headline(const Analysis& analysis);

/// "idle, launch-bound": a bucket as people call it.
std::string bucket_words(Bucket bucket);

/// A kernel or operator name made printable and freed of what every name carries ("void ", "(anonymous
/// namespace)::").
std::string display_name(std::string_view name);

}  // namespace pagoda
