#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pagoda::kineto {

/// What the category of an event makes of it. Never its stream: host-side Triton ops carry one too.
enum class Category : std::uint8_t {
  kernel,
  memcpy,
  memset,
  runtime,
  op,
  annotation,
  gpu_annotation,
  python,
  memory,            ///< allocator events, "[memory]"
  forward_backward,  ///< flow from a forward op to its backward op
  none,              ///< no category: metadata, and everything of profilers before torch 1.8
  other
};

/// Case does not matter: torch 1.8 wrote "Kernel", later versions "kernel".
Category category_of(std::string_view name);

/// Counts events by category as spelled, and remembers what each spelling means. A trace has about a dozen.
class CategoryTable {
 public:
  Category count(std::string_view spelling);
  /// Those that are none of the trace's tables.
  std::map<std::string, std::uint64_t> others() const;

 private:
  struct Row {
    std::string spelling;
    Category category;
    std::uint64_t events;
  };
  std::vector<Row> rows_;
};

}  // namespace pagoda::kineto
