#pragma once
#include <string>
#include <string_view>

namespace pagoda {

/// The bytes as a gzip file, without a time stamp: equal bytes give equal files.
std::string gzip(std::string_view bytes);

}  // namespace pagoda
