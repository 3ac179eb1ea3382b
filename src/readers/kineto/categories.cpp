#include "readers/kineto/categories.h"

#include <array>
#include <utility>

namespace pagoda::kineto {

Category category_of(std::string_view name) {
  std::string lower(name.substr(0, 64));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  constexpr std::array<std::pair<std::string_view, Category>, 19> kNames = {{
      {"kernel", Category::kernel},
      {"gpu_memcpy", Category::memcpy},
      {"gpu_memset", Category::memset},
      {"cuda_runtime", Category::runtime},
      {"cuda_driver", Category::runtime},
      {"hip_runtime", Category::runtime},
      {"hip_driver", Category::runtime},
      {"runtime", Category::runtime},
      {"driver", Category::runtime},
      {"cpu_op", Category::op},
      {"operator", Category::op},
      {"user_annotation", Category::annotation},
      {"gpu_user_annotation", Category::gpu_annotation},
      {"python_function", Category::python},
      {"cpu_instant_event", Category::memory},
      {"fwdbwd", Category::forward_backward},
      {"forward_backward", Category::forward_backward},
      {"fwd_bwd", Category::forward_backward},
      {"", Category::none},
  }};
  for (const auto& [text, category] : kNames) {
    if (lower == text) return category;
  }
  return Category::other;
}

Category CategoryTable::count(std::string_view spelling) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].spelling != spelling) continue;
    ++rows_[i].events;
    const Category category = rows_[i].category;
    if (i > 0 && rows_[i].events > rows_[i - 1].events)
      std::swap(rows_[i], rows_[i - 1]);  // frequent ones first
    return category;
  }
  rows_.push_back({std::string(spelling), category_of(spelling), 1});
  return rows_.back().category;
}

std::map<std::string, std::uint64_t> CategoryTable::others() const {
  std::map<std::string, std::uint64_t> counts;
  for (const Row& row : rows_) {
    if (row.category == Category::other) counts[row.spelling] += row.events;
  }
  return counts;
}

}  // namespace pagoda::kineto
