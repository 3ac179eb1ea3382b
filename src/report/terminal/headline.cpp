#include "report/terminal/headline.h"

#include <array>
#include <utility>

#include "report/text/quantities.h"
#include "report/text/shares.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

struct Totals {
  Nanos window_ns = 0;
  Nanos busy_ns = 0;
  Nanos idle_ns = 0;
  std::array<Nanos, kBucketCount> buckets_ns{};
};

Totals totals_of(const Analysis& analysis) {
  Totals totals;
  for (const DeviceAccount& device : analysis.devices) {
    totals.window_ns += device.window_ns;
    totals.busy_ns += device.busy_ns;
    totals.idle_ns += device.idle_ns;
    for (std::size_t i = 0; i < kBucketCount; ++i) totals.buckets_ns[i] += device.buckets_ns[i];
  }
  return totals;
}

Bucket largest(const Totals& totals, std::size_t first, std::size_t last) {
  std::size_t best = first;
  for (std::size_t i = first; i < last; ++i) {
    if (totals.buckets_ns[i] > totals.buckets_ns[best]) best = i;
  }
  return static_cast<Bucket>(best);
}

std::string idle_reason(Bucket bucket) {
  switch (bucket) {
    case Bucket::idle_launch: return "the host does not launch work fast enough";
    case Bucket::idle_sync: return "the host waits for the GPU and launches nothing meanwhile";
    case Bucket::idle_host: return "the host is busy elsewhere (python, data loading)";
    default: return "the profile does not tell why";
  }
}

std::string idle_sentence(const Totals& totals) {
  const Bucket cause = largest(totals, kBusyBuckets, kBucketCount);
  const auto cause_ns = static_cast<double>(totals.buckets_ns[static_cast<std::size_t>(cause)]);
  return percent_text(cause_ns, static_cast<double>(totals.idle_ns)) +
         " of the idle time: " + idle_reason(cause) + ".";
}

// From a twentieth of the time on.
void add_exposed(Bucket bucket, const char* what, const Totals& totals, std::vector<std::string>& sentences) {
  const Nanos time_ns = totals.buckets_ns[static_cast<std::size_t>(bucket)];
  if (time_ns == 0 || time_ns * 20 < totals.window_ns) return;
  sentences.push_back(what +
                      percent_text(static_cast<double>(time_ns), static_cast<double>(totals.window_ns)) +
                      " of the time (" + duration_text(time_ns) + ").");
}

std::string operator_sentence(const Analysis& analysis) {
  const OperatorRow& top = analysis.operators.front();
  const auto total_ns = static_cast<double>(operator_total_ns(analysis));
  return "Most GPU time: " + shorten(display_name(top.name), 50) + ", " +
         percent_text(static_cast<double>(top.time_ns), total_ns) + " (" + duration_text(top.time_ns) +
         " in " + plural_text(top.calls, "call", "calls") + ").";
}

}  // namespace

std::vector<std::string> headline(const Analysis& analysis) {
  const Totals totals = totals_of(analysis);
  const auto window = static_cast<double>(totals.window_ns);
  const bool several = analysis.devices.size() > 1;
  std::vector<std::string> sentences;
  std::string first = several ? "The GPUs work " : "The GPU works ";
  first += percent_text(static_cast<double>(totals.busy_ns), window) + " of the time";
  if (totals.idle_ns > 0) {
    first += several ? " and stand idle " : " and stands idle ";
    first += percent_text(static_cast<double>(totals.idle_ns), window);
  }
  first += " (" + duration_text(totals.idle_ns) + " of " + duration_text(totals.window_ns) +
           (several ? ", all GPUs added up)." : ").");
  sentences.push_back(first);
  // Below a tenth, the causes of idle are a detail of the table.
  if (totals.idle_ns * 10 >= totals.window_ns && totals.idle_ns > 0)
    sentences.back() += " " + idle_sentence(totals);
  add_exposed(Bucket::exposed_communication, "Communication that no kernel hides takes ", totals, sentences);
  add_exposed(Bucket::exposed_copy, "Copies that no kernel hides take ", totals, sentences);
  if (!analysis.operators.empty()) sentences.push_back(operator_sentence(analysis));
  return sentences;
}

std::string bucket_words(Bucket bucket) {
  switch (bucket) {
    case Bucket::compute_bound: return "compute-bound kernels";
    case Bucket::memory_bound: return "memory-bound kernels";
    case Bucket::latency_bound: return "latency-bound kernels";
    case Bucket::unclassified: return "kernels, not classified";
    case Bucket::exposed_communication: return "exposed communication";
    case Bucket::exposed_copy: return "exposed copies";
    case Bucket::idle_launch: return "idle, launch-bound";
    case Bucket::idle_sync: return "idle, sync-bound";
    case Bucket::idle_host: return "idle, host or input";
    case Bucket::idle_unknown: return "idle, cause unknown";
  }
  return "unknown";
}

std::string display_name(std::string_view name) {
  std::string text = printable(name);
  if (text.starts_with("void ")) text.erase(0, 5);
  for (const auto& [from, to] : {std::pair("(anonymous namespace)::", ""), std::pair(" of void ", " of ")}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, std::string_view(from).size(), to);
  }
  return text.empty() ? "(no name)" : text;
}

}  // namespace pagoda
