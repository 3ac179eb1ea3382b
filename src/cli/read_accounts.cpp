#include "cli/read_accounts.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "analysis/attribution.h"
#include "cli/account_parcel.h"
#include "cli/mpi_share.h"
#include "cli/progress.h"
#include "core/error.h"
#include "report/text/quantities.h"
#include "trace/join_counters.h"

namespace pagoda {
namespace {

constexpr std::string_view kCounterFormat = "ncu";
constexpr std::size_t kMostReaders = 4;

// Reading uses a second thread for decompression, so one reader per two cores keeps them busy. More would
// only hold more traces in memory at once.
std::size_t reader_count(std::size_t files) {
  const std::size_t cores = std::max(2u, std::thread::hardware_concurrency());
  return std::min({files, cores / 2, kMostReaders});
}

// A pipe can be opened once, and opening a member of a packed archive reads all that stands before it: only
// files of their own are asked what they are.
bool is_counter_report(const Input& input, const std::vector<std::string>& paths) {
  const bool plain_file =
      input.disk_bytes > 0 && std::find(paths.begin(), paths.end(), input.name) != paths.end();
  if (!plain_file) return false;
  try {
    const auto content = input.open();
    for (const Format& format : formats()) {
      if (format.sniff(content->head())) return format.name == kCounterFormat;
    }
  } catch (const Error&) {  // said when the file's turn comes
  }
  return false;
}

/// Largest first, dealt out in turn; standard input reaches the first process only.
std::vector<std::size_t> my_share(const std::vector<Input>& inputs, const Team& team) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return inputs[a].disk_bytes > inputs[b].disk_bytes; });
  std::vector<std::size_t> mine;
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    const bool piped = inputs[order[turn]].name == "<stdin>";
    const auto owner = piped ? 0 : turn % static_cast<std::size_t>(team.size());
    if (owner == static_cast<std::size_t>(team.rank())) mine.push_back(order[turn]);
  }
  return mine;
}

class AccountReader {
 public:
  AccountReader(const ReadRequest& request, const std::vector<Input>& inputs, std::vector<std::size_t> mine,
                bool shown)
      : request_(request), inputs_(inputs), mine_(std::move(mine)), progress_(shown, sizes()) {}

  Parcel read_all() {
    load_counters();
    parcel_.items.resize(mine_.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t slot = next++; slot < mine_.size(); slot = next++) parcel_.items[slot] = read(slot);
    };
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < reader_count(mine_.size()); ++i) helpers.emplace_back(work);
    work();
    helpers.clear();  // joins
    return std::move(parcel_);
  }

  std::optional<ExplainedTrace> take_kept() { return std::move(kept_); }

 private:
  std::vector<std::uint64_t> sizes() const {
    std::vector<std::uint64_t> sizes;
    for (const std::size_t index : mine_) sizes.push_back(inputs_[index].disk_bytes);
    return sizes;
  }

  // Every process needs the counters: whichever timeline it reads, they may belong to its kernels.
  void load_counters() {
    if (inputs_.size() < 2) return;
    for (const Input& input : inputs_) {
      if (!is_counter_report(input, request_.paths)) continue;
      try {
        counters_.push_back(read_trace(input));
      } catch (const Error&) {  // said when the file's turn comes
      }
    }
  }

  ParcelItem read(std::size_t slot) {
    const std::size_t index = mine_[slot];
    try {
      return {index, account_of(slot), {}};
    } catch (const Error& error) {
      return {index, {}, error};
    } catch (const std::bad_alloc&) {
      return {index, {}, Error("out of memory", {inputs_[index].name, {}}, "give fewer files at a time")};
    } catch (const std::exception& error) {
      return {index,
              {},
              Error(error.what(), {inputs_[index].name, {}}, "this is a bug of Pagoda", ExitCode::our_bug)};
    }
  }

  TraceAccount account_of(std::size_t slot) {
    ReadOptions options;
    options.progress = [this, slot](std::uint64_t done, std::uint64_t total) {
      progress_.report(slot, done, total);
    };
    Trace trace = read_trace(inputs_[mine_[slot]], options);
    if (trace.format == kCounterFormat) return analyze_trace(trace);
    const std::vector<Attribution> attributions = attribute(trace);
    const std::optional<GpuSpec> gpu = find_gpu_of(trace, request_.peaks);
    std::vector<std::uint32_t> counter_rows;
    ExplainOptions why;
    const std::string joined = join(trace, counter_rows, why);
    why.window = hull_of(trace, request_.analysis.window);
    Explanation explanation = explain(trace, attributions, gpu ? &*gpu : nullptr, why);
    TraceAccount account = analyze_trace(trace, attributions, request_.analysis, explanation.bounds);
    if (!joined.empty()) account.warnings.push_back(joined);
    if (request_.keep_trace && !account.devices.empty()) keep(mine_[slot], trace, explanation);
    return account;
  }

  /// What is explained: all, or the extent of the window over all devices.
  static std::optional<Interval> hull_of(const Trace& trace, const WindowChoice& choice) {
    if (choice.kind == WindowChoice::Kind::all) return std::nullopt;
    std::optional<Interval> hull;
    for (const IntervalSet& window : device_windows(trace, choice)) {
      if (window.empty()) continue;
      if (!hull) hull = window.front();
      hull->start_ns = std::min(hull->start_ns, window.front().start_ns);
      hull->end_ns = std::max(hull->end_ns, window.back().end_ns);
    }
    return hull;
  }

  /// The first in the order of the inputs, whichever thread read it when.
  void keep(std::size_t index, Trace& trace, Explanation& explanation) {
    const std::lock_guard lock(keep_mutex_);
    if (kept_ && kept_->index < index) return;
    kept_.emplace(ExplainedTrace{index, std::move(trace), std::move(explanation)});
  }

  /// Counters of one report replace the model; those of further reports are only counted.
  std::string join(Trace& trace, std::vector<std::uint32_t>& counter_rows, ExplainOptions& why) const {
    if (counters_.empty() || trace.gpu_events.empty()) return {};
    std::vector<bool> has(trace.gpu_events.size(), false);
    for (const Trace& report : counters_) {
      std::vector<std::uint32_t> rows = join_counters(trace, report);
      bool any = false;
      for (std::size_t event = 0; event < rows.size(); ++event) {
        any = any || rows[event] != kNone;
        has[event] = has[event] || rows[event] != kNone;
      }
      if (!any || why.counters) continue;
      counter_rows = std::move(rows);
      why.counters = &report;
      why.counter_of_event = &counter_rows;
    }
    Nanos with_ns = 0;
    Nanos all_ns = 0;
    for (std::size_t event = 0; event < has.size(); ++event) {
      if (trace.gpu_events[event].kind != GpuEventKind::kernel) continue;
      all_ns += trace.gpu_events[event].duration_ns;
      if (has[event]) with_ns += trace.gpu_events[event].duration_ns;
    }
    const auto count = std::count(has.begin(), has.end(), true);
    return "hardware counters are known for " + plural_text(count, "kernel", "kernels") + " of " +
           trace.path + ", " + percent_text(static_cast<double>(with_ns), static_cast<double>(all_ns)) +
           " of its kernel time";
  }

  const ReadRequest& request_;
  const std::vector<Input>& inputs_;
  const std::vector<std::size_t> mine_;
  std::vector<Trace> counters_;
  std::mutex keep_mutex_;
  std::optional<ExplainedTrace> kept_;
  Progress progress_;
  Parcel parcel_;
};

// Finding the inputs can fail on one process alone (a disk that not every host has), so that goes into the
// parcel as well: a process that just left would keep the others waiting.
Parcel read_mine(const ReadRequest& request, const Team& team) {
  try {
    const std::vector<Input> inputs = find_inputs(request.paths);
    const bool shown = request.show_progress && team.leads();
    return AccountReader(request, inputs, my_share(inputs, team), shown).read_all();
  } catch (const Error& error) {
    return {{{0, {}, error}}};
  } catch (const std::bad_alloc&) {
    return {{{0, {}, Error("out of memory", {}, "give fewer files at a time")}}};
  }
}

std::vector<TraceAccount> unpack(std::vector<ParcelItem> items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.index < b.index; });
  std::vector<TraceAccount> accounts;
  for (ParcelItem& item : items) {
    if (item.error) throw *item.error;
    accounts.push_back(std::move(*item.account));
  }
  return accounts;
}

}  // namespace

ReadResult read_explained(const ReadRequest& request) {
  const std::vector<Input> inputs = find_inputs(request.paths);
  std::vector<std::size_t> all(inputs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  AccountReader reader(request, inputs, std::move(all), request.show_progress);
  Parcel parcel = reader.read_all();
  return {combine(unpack(std::move(parcel.items))), reader.take_kept()};
}

std::optional<Analysis> read_analysis(const ReadRequest& request, Team& team) {
  Parcel mine = read_mine(request, team);
  if (team.size() == 1) return combine(unpack(std::move(mine.items)));
  const std::vector<std::string> packed = team.gather(pack(mine));
  if (!team.leads()) return std::nullopt;
  std::vector<ParcelItem> items;
  for (const std::string& bytes : packed) {
    Parcel parcel = unpack_parcel(bytes);
    std::move(parcel.items.begin(), parcel.items.end(), std::back_inserter(items));
  }
  return combine(unpack(std::move(items)));
}

}  // namespace pagoda
