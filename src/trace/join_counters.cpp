#include "trace/join_counters.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace pagoda {
namespace {

using RowList = std::vector<std::uint32_t>;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// The parameter list is the last bracketed stretch that stands outside template arguments and ends the name.
void drop_parameters(std::string& name) {
  if (!name.ends_with(')')) return;
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) {
      if (at > 0) name.resize(at);
      return;
    }
  }
}

bool is_type(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_word(c) || c == ':'; });
}

/// "(at::native::Mode)3" and "(int)-1" are numbers with a cast in front.
std::string without_casts(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '(') {
      const std::size_t close = name.find_first_of("()", at + 1);
      const bool cast = close != std::string_view::npos && name[close] == ')' && close + 1 < name.size() &&
                        (is_digit(name[close + 1]) || name[close + 1] == '-') &&
                        is_type(name.substr(at + 1, close - at - 1));
      if (cast) {
        at = close;
        continue;
      }
    }
    plain += name[at];
  }
  return plain;
}

/// Words that two demanglers spell differently: literals, and suffixes of numbers.
std::string normal_word(std::string_view word) {
  if (word == "true") return "1";
  if (word == "false") return "0";
  if (!word.empty() && is_digit(word[0])) {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    if (word.find_first_not_of("uUlL", digits) == std::string_view::npos)
      return std::string(word.substr(0, digits));
  }
  return std::string(word);
}

std::string with_normal_words(std::string_view name) {
  std::string normal;
  for (std::size_t at = 0; at < name.size();) {
    if (!is_word(name[at])) {
      normal += name[at++];
      continue;
    }
    std::size_t end = at;
    while (end < name.size() && is_word(name[end])) ++end;
    normal += normal_word(name.substr(at, end - at));
    at = end;
  }
  return normal;
}

}  // namespace

std::string normal_kernel_name(std::string_view name) {
  std::string normal(name);
  // A clone of the compiler is the same source function: "kernel(int) [clone .part.0]".
  if (const std::size_t clone = normal.find(" [clone"); clone != std::string::npos) normal.resize(clone);
  for (std::string_view anonymous :
       {"<unnamed>", "(anonymous namespace)", "{anonymous}", "`anonymous namespace'"}) {
    replace_all(normal, anonymous, "anonymous");
  }
  while (normal.starts_with("void ") || normal.starts_with("static ")) normal.erase(0, normal.find(' ') + 1);
  normal.erase(std::remove_if(normal.begin(), normal.end(), [](char c) { return c == ' ' || c == '\t'; }),
               normal.end());
  drop_parameters(normal);
  return with_normal_words(without_casts(normal));
}

std::string short_kernel_name(std::string_view name) {
  std::string normal = normal_kernel_name(name);
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < normal.size(); ++at) {
    if (normal[at] == '<' || normal[at] == '(') {
      // The template arguments of the function end the name; those of an enclosing class do not.
      ++depth;
    } else if (normal[at] == '>' || normal[at] == ')') {
      --depth;
    } else if (depth == 0 && normal[at] == ':') {
      begin = at + 1;
    }
  }
  normal.erase(0, begin);
  return normal.substr(0, normal.find('<'));
}

namespace {

class Joiner {
 public:
  Joiner(Trace& trace, const Trace& counters)
      : trace_(trace), counters_(counters), joined_(trace.gpu_events.size(), kNone) {}

  std::vector<std::uint32_t> run() {
    // Nsight Compute's demangler leaves namespaces out ("at::add" of at::native::add) and spells lambdas its
    // own way: a name that no kernel has is known by its function, grid, block and order alone.
    const std::set<std::string> kernels = names_of_kernels();
    RowList full_names;
    RowList short_names;
    for (std::uint32_t row = 0; row < counters_.counters.size(); ++row) {
      const bool known = kernels.contains(normal_kernel_name(counters_.text(counters_.counters[row].name)));
      (known ? full_names : short_names).push_back(row);
    }
    join(full_names, normal_kernel_name);
    join(short_names, short_kernel_name);
    return std::move(joined_);
  }

 private:
  struct Group {
    RowList kernels;  // in order of start
    RowList counters;
  };
  using Normalise = std::string (*)(std::string_view);

  std::set<std::string> names_of_kernels() const {
    std::set<StringId> ids;
    for (const GpuEvent& event : trace_.gpu_events) {
      if (event.kind == GpuEventKind::kernel) ids.insert(event.name);
    }
    std::set<std::string> names;
    for (StringId id : ids) names.insert(normal_kernel_name(trace_.text(id)));
    return names;
  }

  const KernelDetails& details_of_kernel(std::uint32_t row) const {
    static constexpr KernelDetails kUnknown;
    const std::uint32_t details = trace_.gpu_events[row].details;
    return details == kNone ? kUnknown : trace_.kernel_details[details];
  }
  const KernelDetails& details_of_counters(std::uint32_t row) const {
    return counters_.counters[row].details;
  }
  bool is_summary(std::uint32_t row) const { return counters_.counters[row].metrics.contains("Invocations"); }

  void join(const RowList& counter_rows, Normalise normalise) {
    if (counter_rows.empty()) return;
    std::map<std::string, Group> groups;  // sorted: the same diagnostics for the same input
    for (std::uint32_t row : counter_rows) {
      groups[normalise(counters_.text(counters_.counters[row].name))].counters.push_back(row);
    }
    std::unordered_map<StringId, Group*> by_name;  // a trace has few names and many launches
    for (std::uint32_t row : kernels_in_order()) {
      if (joined_[row] != kNone) continue;
      const StringId name = trace_.gpu_events[row].name;
      const auto [known, fresh] = by_name.try_emplace(name, nullptr);
      if (fresh) {
        const auto found = groups.find(normalise(trace_.text(name)));
        if (found != groups.end()) known->second = &found->second;
      }
      if (known->second) known->second->kernels.push_back(row);
    }
    for (auto& [name, group] : groups) join_by_shape(name, group);
  }

  RowList kernels_in_order() const {
    RowList rows;
    for (std::uint32_t row = 0; row < trace_.gpu_events.size(); ++row) {
      if (trace_.gpu_events[row].kind == GpuEventKind::kernel) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return trace_.gpu_events[a].start_ns < trace_.gpu_events[b].start_ns;
    });
    return rows;
  }

  /// Grid and block tell launches apart where every row of the group has them; a part that some row lacks is
  /// left out for all, since rows with and without it would never meet.
  void join_by_shape(const std::string& name, const Group& group) {
    bool grid = true;
    bool block = true;
    const auto look = [&](const KernelDetails& details) {
      grid &= details.grid[0] != 0;
      block &= details.block[0] != 0;
    };
    for (std::uint32_t row : group.kernels) look(details_of_kernel(row));
    for (std::uint32_t row : group.counters) look(details_of_counters(row));
    using Sizes = std::array<std::uint32_t, 3>;
    const auto shape = [&](const KernelDetails& details) {
      return std::pair(grid ? details.grid : Sizes{}, block ? details.block : Sizes{});
    };
    std::map<std::pair<Sizes, Sizes>, Group> shapes;
    for (std::uint32_t row : group.kernels) shapes[shape(details_of_kernel(row))].kernels.push_back(row);
    for (std::uint32_t row : group.counters) shapes[shape(details_of_counters(row))].counters.push_back(row);
    for (const auto& [key, equal] : shapes) join_equals(name, equal);
  }

  void join_equals(const std::string& name, const Group& equal) {
    if (equal.counters.empty()) return;
    if (equal.kernels.empty()) {
      trace_.diagnostics.add("counters_without_kernel", {}, name, equal.counters.size());
      return;
    }
    if (equal.counters.size() == 1 && is_summary(equal.counters[0])) {
      for (std::uint32_t kernel : equal.kernels) joined_[kernel] = equal.counters[0];
      return;
    }
    const bool summaries = std::any_of(equal.counters.begin(), equal.counters.end(),
                                       [&](std::uint32_t row) { return is_summary(row); });
    if (summaries || equal.counters.size() != equal.kernels.size()) {
      const std::string counts = std::to_string(equal.counters.size()) + " rows of counters for " +
                                 std::to_string(equal.kernels.size()) + " launches: ";
      trace_.diagnostics.add("ambiguous_counters", {}, counts + name, equal.counters.size());
      return;
    }
    RowList in_order = equal.counters;
    std::stable_sort(in_order.begin(), in_order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return counters_.counters[a].order < counters_.counters[b].order;
    });
    for (std::size_t i = 0; i < in_order.size(); ++i) joined_[equal.kernels[i]] = in_order[i];
  }

  Trace& trace_;
  const Trace& counters_;
  std::vector<std::uint32_t> joined_;
};

}  // namespace

std::vector<std::uint32_t> join_counters(Trace& trace, const Trace& counters) {
  return Joiner(trace, counters).run();
}

}  // namespace pagoda
