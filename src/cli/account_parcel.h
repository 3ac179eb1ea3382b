#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyze.h"
#include "core/error.h"

namespace pagoda {

/// What became of one profile: its account, or the error that reading it gave.
struct ParcelItem {
  std::size_t index = 0;  ///< position among find_inputs()
  std::optional<TraceAccount> account;
  std::optional<Error> error;
};

/// What one process hands to the first.
struct Parcel {
  std::vector<ParcelItem> items;
};

std::string pack(const Parcel& parcel);
/// Throws Error for bytes that are no parcel.
Parcel unpack_parcel(std::string_view bytes);

}  // namespace pagoda
