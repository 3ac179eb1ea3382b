#pragma once
#include <string>
#include <vector>

#include "advice/diff.h"

namespace pagoda {

/// The actions of a `pagoda.plan/1` file. Throws Error when it is none.
std::vector<Promise> read_promises(const std::string& path);

}  // namespace pagoda
