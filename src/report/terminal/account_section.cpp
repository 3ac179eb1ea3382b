#include "report/terminal/account_section.h"

#include <algorithm>

#include "report/terminal/headline.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

constexpr std::size_t kBarColumns = 40;
constexpr std::size_t kInFull = 2;
constexpr std::size_t kDeviceRows = 16;

std::string bar(Nanos part_ns, Nanos whole_ns) {
  if (part_ns <= 0 || whole_ns <= 0) return {};
  const double eighths = 8.0 * kBarColumns * static_cast<double>(part_ns) / static_cast<double>(whole_ns);
  const auto full = static_cast<std::size_t>(eighths) / 8;
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (std::size_t i = 0; i < full; ++i) text += "█";
  text += kParts[static_cast<std::size_t>(eighths) % 8];
  return text.empty() ? "▏" : text;
}

std::string device_words(const DeviceAccount& device) {
  return "rank " + std::to_string(device.rank) + ", device " + std::to_string(device.device) +
         (device.name.empty() ? "" : ", " + printable(device.name)) +
         (device.idle_unreliable ? "; its idle time is unreliable: graph replay" : "");
}

bool conserved(const DeviceAccount& device) {
  return device.window_minus_buckets_ns() == 0 && device.busy_minus_buckets_ns() == 0;
}

std::string share(Nanos part_ns, Nanos whole_ns) {
  return percent_text(static_cast<double>(part_ns), static_cast<double>(whole_ns));
}

void write_check(Page& page, const DeviceAccount& device) {
  const std::string text = "check: window - buckets = " + count_text(device.window_minus_buckets_ns()) +
                           " ns, busy - busy buckets = " + count_text(device.busy_minus_buckets_ns()) + " ns";
  page.line("  " + (conserved(device) ? page.dim(text) : page.bad(text + "  THIS IS A BUG OF PAGODA")));
}

std::string facts(const DeviceAccount& device) {
  const CountsByKind& counts = device.counts;
  std::string text = plural_text(counts.compute, "kernel", "kernels");
  if (counts.communication > 0) text += ", " + plural_text(counts.communication, "collective", "collectives");
  if (counts.memcpy > 0) text += ", " + plural_text(counts.memcpy, "copy", "copies");
  if (counts.memset > 0) text += ", " + plural_text(counts.memset, "memset", "memsets");
  text += " on " + plural_text(static_cast<std::int64_t>(device.streams.size()), "stream", "streams");
  if (device.communication_ns > 0)
    text += "; communication " + duration_text(device.communication_ns) + ", " +
            duration_text(device.overlapped_communication_ns) + " of it under kernels";
  if (device.graph_count > 0)
    text += "; " + count_text(device.graph_count) + " replayed by graphs, " + duration_text(device.graph_ns);
  if (device.peak_allocated_bytes >= 0)
    text += "; peak memory " + bytes_text(static_cast<double>(device.peak_allocated_bytes));
  return text;
}

std::string origins(const DeviceAccount& device) {
  return "launched before capture " + duration_text(device.launched_before_capture_ns) + ", unattributed " +
         duration_text(device.unattributed_ns) + ", without launch " +
         duration_text(device.without_launch_ns);
}

void write_streams(Page& page, const DeviceAccount& device) {
  Table table({{"stream", Align::right},
               {"events", Align::right},
               {"busy", Align::right},
               {"overlaps", Align::right},
               {"longest", Align::right}});
  for (const StreamAccount& stream : device.streams) {
    table.add({std::to_string(stream.stream), count_text(stream.events), duration_text(stream.busy_ns),
               count_text(stream.overlaps), duration_text(stream.worst_overlap_ns)});
  }
  page.table(table);
}

void write_device(Page& page, const DeviceAccount& device, const PageOptions& options) {
  page.title("Where the time goes", device_words(device));
  Table table({{""}, {"", Align::right}, {"", Align::right}, {""}});
  table.add({"window", duration_text(device.window_ns), share(device.window_ns, device.window_ns), ""});
  for (std::size_t i = 0; i < kBucketCount; ++i) {
    const Nanos time_ns = device.buckets_ns[i];
    if (time_ns == 0 && !options.verbose) continue;
    table.add({bucket_words(static_cast<Bucket>(i)), duration_text(time_ns), share(time_ns, device.window_ns),
               bar(time_ns, device.window_ns)});
  }
  page.table(table, false);
  write_check(page, device);
  page.sentence(facts(device), 2);
  page.sentence(origins(device), 2);
  if (options.verbose) write_streams(page, device);
}

void write_all_checks(Page& page, const Analysis& analysis) {
  Nanos window_ns = 0;
  Nanos busy_ns = 0;
  bool all = true;
  for (const DeviceAccount& device : analysis.devices) {
    window_ns += std::abs(device.window_minus_buckets_ns());
    busy_ns += std::abs(device.busy_minus_buckets_ns());
    all &= conserved(device);
  }
  const std::string text = "check, all " + std::to_string(analysis.devices.size()) +
                           " devices: window - buckets = " + count_text(window_ns) +
                           " ns, busy - busy buckets = " + count_text(busy_ns) + " ns";
  page.line("  " + (all ? page.dim(text) : page.bad(text + "  THIS IS A BUG OF PAGODA")));
}

Nanos sum_of(const DeviceAccount& device, std::initializer_list<Bucket> buckets) {
  Nanos sum_ns = 0;
  for (const Bucket bucket : buckets) sum_ns += device.buckets_ns[static_cast<std::size_t>(bucket)];
  return sum_ns;
}

void write_device_table(Page& page, const Analysis& analysis, const PageOptions& options) {
  page.title("Where the time goes", "by rank; shares of each device's window");
  Table table({{"rank", Align::right},
               {"device", Align::right},
               {"window", Align::right},
               {"busy", Align::right},
               {"kernels", Align::right},
               {"comm", Align::right},
               {"exposed", Align::right},
               {"copies", Align::right},
               {"launch", Align::right},
               {"sync", Align::right},
               {"host", Align::right},
               {"unknown", Align::right}});
  const std::size_t rows =
      options.verbose ? analysis.devices.size() : std::min(kDeviceRows, analysis.devices.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const DeviceAccount& device = analysis.devices[i];
    const auto part = [&](Nanos time_ns) { return share(time_ns, device.window_ns); };
    const auto bucket = [&](Bucket which) { return part(sum_of(device, {which})); };
    table.add({std::to_string(device.rank), std::to_string(device.device), duration_text(device.window_ns),
               part(device.busy_ns), part(device.compute_ns), part(device.communication_ns),
               bucket(Bucket::exposed_communication), bucket(Bucket::exposed_copy),
               bucket(Bucket::idle_launch), bucket(Bucket::idle_sync), bucket(Bucket::idle_host),
               bucket(Bucket::idle_unknown)});
  }
  page.table(table);
  if (rows < analysis.devices.size())
    page.line(page.dim("  " + std::to_string(analysis.devices.size() - rows) + " more devices: --verbose"));
  write_all_checks(page, analysis);
}

}  // namespace

void write_account(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.devices.size() > kInFull) return write_device_table(page, analysis, options);
  for (const DeviceAccount& device : analysis.devices) write_device(page, device, options);
}

}  // namespace pagoda
