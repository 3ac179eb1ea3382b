#pragma once
#include <cstddef>
#include <string>

#include "analysis/account.h"

namespace pagoda {

struct PageOptions {
  bool colour = false;
  bool verbose = false;  ///< every row, no line shortened
  std::size_t top = 10;  ///< operators shown when not verbose
};

/// The account as one page of text: at most 100 columns and, when not verbose, about 45 lines. Names from the
/// profile are made printable(), so that no profile can drive the terminal.
std::string analysis_page(const Analysis& analysis, const PageOptions& options = {});

}  // namespace pagoda
