#pragma once
#include <string>
#include <vector>

namespace pagoda {

/// The name most like `typed`, by edits (insert, delete, replace a letter); empty when none is near. Of
/// equals the first.
std::string nearest(const std::string& typed, const std::vector<std::string>& names);

}  // namespace pagoda
