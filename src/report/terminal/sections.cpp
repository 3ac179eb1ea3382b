#include "report/terminal/sections.h"

#include <algorithm>

#include "report/terminal/headline.h"
#include "report/text/quantities.h"
#include "report/text/shares.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

constexpr std::size_t kIdleRows = 4;
constexpr std::size_t kGraphRows = 2;
constexpr std::size_t kCollectiveRows = 4;
constexpr std::size_t kDiagnosticRows = 5;

std::string share(Nanos part_ns, Nanos whole_ns) {
  return percent_text(static_cast<double>(part_ns), static_cast<double>(whole_ns));
}

std::size_t rows_shown(std::size_t all, std::size_t few, const PageOptions& options) {
  return options.verbose ? all : std::min(all, few);
}

// Part of a section's remark: a page of its own line each would not fit the screen.
std::string rows_words(std::size_t all, std::size_t shown) {
  if (shown >= all) return {};
  return "; " + std::to_string(shown) + " of " + count_text(static_cast<std::int64_t>(all)) +
         " rows, --verbose shows all";
}

Nanos mean_ns(Nanos time_ns, std::int64_t calls) { return calls > 0 ? time_ns / calls : 0; }

// What stands behind the name: the shapes, or why there are none.
std::string shapes_words(const OperatorRow& row) {
  if (!row.shapes.empty()) return printable(row.shapes);
  switch (row.how) {
    case Attributed::graph: return "(in a graph)";
    case Attributed::launch_only: return "(no operator)";
    case Attributed::before_capture: return "(before capture)";
    case Attributed::none: return "(no launch)";
    default: return {};
  }
}

std::vector<Column> operator_columns(bool verbose) {
  std::vector<Column> columns = {{"share", Align::right},         {"time", Align::right},
                                 {"calls", Align::right},         {"mean", Align::right},
                                 {"operator", Align::left, true}, {"shapes", Align::left, true}};
  if (verbose) {
    for (const char* title : {"types", "phase", "attributed", "module", "top kernel"})
      columns.push_back({title});
  }
  return columns;
}

}  // namespace

void write_operators(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.operators.empty()) return;
  const Nanos total_ns = operator_total_ns(analysis);
  const std::size_t shown = rows_shown(analysis.operators.size(), options.top, options);
  page.title("Top operators by GPU time",
             "of " + duration_text(total_ns) + rows_words(analysis.operators.size(), shown));
  Table table(operator_columns(options.verbose));
  for (std::size_t i = 0; i < shown; ++i) {
    const OperatorRow& row = analysis.operators[i];
    std::vector<std::string> cells = {
        share(row.time_ns, total_ns), duration_text(row.time_ns),
        count_text(row.calls),        duration_text(mean_ns(row.time_ns, row.calls)),
        display_name(row.name),       shapes_words(row)};
    if (options.verbose) {
      for (const std::string& cell :
           {printable(row.dtypes), std::string(phase_name(row.phase)), std::string(attributed_name(row.how)),
            printable(row.module), display_name(row.top_kernel)})
        cells.push_back(cell);
    }
    table.add(std::move(cells));
  }
  page.table(table);
}

void write_idle(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.idle_causes.empty()) return;
  Nanos total_ns = 0;
  for (const IdleCause& cause : analysis.idle_causes) total_ns += cause.time_ns;
  const std::size_t shown = rows_shown(analysis.idle_causes.size(), kIdleRows, options);
  page.title("Why the GPU stands idle",
             "of " + duration_text(total_ns) + rows_words(analysis.idle_causes.size(), shown));
  Table table({{"share", Align::right},
               {"time", Align::right},
               {"gaps", Align::right},
               {"cause"},
               {"where", Align::left, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const IdleCause& cause = analysis.idle_causes[i];
    table.add({share(cause.time_ns, total_ns), duration_text(cause.time_ns), count_text(cause.gaps),
               bucket_words(cause.bucket).substr(6), display_name(cause.what)});
  }
  page.table(table);
}

void write_graphs(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.graphs.empty()) return;
  const std::size_t shown = rows_shown(analysis.graphs.size(), kGraphRows, options);
  page.title("Graph launches",
             "no shapes inside: profile one eager run too" + rows_words(analysis.graphs.size(), shown));
  Table table({{"time", Align::right},
               {"launches", Align::right},
               {"kernels", Align::right},
               {"call"},
               {"longest kernel", Align::left, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const GraphRow& row = analysis.graphs[i];
    const std::size_t kernels =
        options.verbose ? row.kernels.size() : std::min<std::size_t>(1, row.kernels.size());
    const std::string longest = kernels == 0 ? "" : display_name(row.kernels[0].name);
    table.add({duration_text(row.time_ns), count_text(row.launches), count_text(row.gpu_events),
               printable(row.launch_call), longest});
    for (std::size_t k = 1; k < kernels; ++k) {
      const GraphRow::Kernel& kernel = row.kernels[k];
      table.add({duration_text(kernel.time_ns), "", count_text(kernel.calls), "", display_name(kernel.name)});
    }
  }
  page.table(table);
}

void write_collectives(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.collectives.empty()) return;
  const std::size_t shown = rows_shown(analysis.collectives.size(), kCollectiveRows, options);
  page.title("Collectives", "skew: last arrival after the first, across ranks" +
                                rows_words(analysis.collectives.size(), shown));
  Table table({{"time", Align::right},
               {"calls", Align::right},
               {"median", Align::right},
               {"p99", Align::right},
               {"bus", Align::right},
               {"skew", Align::right},
               {"ranks", Align::right},
               {"elements", Align::right},
               {"collective", Align::left, true}});
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveRow& row = analysis.collectives[i];
    const auto or_unknown = [](bool known, std::string text) { return known ? text : std::string("-"); };
    table.add({duration_text(row.time_ns), count_text(row.calls), duration_text(row.median_ns),
               duration_text(row.p99_ns),
               or_unknown(row.bus_bytes_per_s >= 0, rate_text(row.bus_bytes_per_s)),
               or_unknown(row.median_skew_ns >= 0, duration_text(row.median_skew_ns)),
               or_unknown(row.group_size >= 0, count_text(row.group_size)),
               or_unknown(row.elements >= 0, count_text(row.elements)),
               display_name(row.name) + (row.dtype.empty() ? "" : " " + printable(row.dtype))});
  }
  page.table(table);
}

void write_stragglers(Page& page, const Analysis& analysis) {
  if (analysis.stragglers.empty()) return;
  page.title("Stragglers");
  for (const Straggler& straggler : analysis.stragglers) {
    page.sentence("rank " + std::to_string(straggler.rank) + ": " + printable(straggler.why), 2);
  }
}

void write_counters(Page& page, const Analysis& analysis, const PageOptions& options) {
  if (analysis.counters.empty()) return;
  const std::size_t shown = rows_shown(analysis.counters.size(), kGraphRows, options);
  page.title("Hardware counters",
             plural_text(static_cast<std::int64_t>(analysis.counters.size()), "kernel", "kernels") +
                 " of Nsight Compute; all metrics: --format json" +
                 rows_words(analysis.counters.size(), shown));
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string metrics =
        plural_text(static_cast<std::int64_t>(analysis.counters[i].metrics.size()), "metric", "metrics");
    const std::string name = display_name(analysis.counter_names[i]);
    page.line("  " + metrics + "  " + (options.verbose ? name : shorten(name, 80)));
  }
}

void write_warnings(Page& page, const Analysis& analysis) {
  if (analysis.warnings.empty()) return;
  page.title("Doubts");
  for (const std::string& warning : analysis.warnings) page.sentence(printable(warning), 2, "33");
}

void write_diagnostics(Page& page, const Analysis& analysis, const PageOptions& options) {
  const auto& entries = analysis.diagnostics.entries();
  if (entries.empty()) return;
  const std::size_t shown = rows_shown(entries.size(), kDiagnosticRows, options);
  page.title("Trace diagnostics",
             "what was odd about the input (docs/commands.md)" + rows_words(entries.size(), shown));
  Table table(
      {{"count", Align::right}, {"kind"}, {"first byte", Align::right}, {"example", Align::left, true}});
  std::size_t row = 0;
  for (const auto& [kind, entry] : entries) {
    if (row++ == shown) break;
    const std::string at =
        entry.first_byte_offset ? count_text(static_cast<std::int64_t>(*entry.first_byte_offset)) : "-";
    table.add(
        {count_text(static_cast<std::int64_t>(entry.count)), printable(kind), at, printable(entry.example)});
  }
  page.table(table);
}

void write_files(Page& page, const Analysis& analysis) {
  page.title("Files");
  Table table(
      {{"rank", Align::right}, {"format"}, {"content", Align::right}, {"events", Align::right}, {"path"}});
  for (const FileSummary& file : analysis.files) {
    table.add({file.rank ? std::to_string(*file.rank) : "-", printable(file.format),
               bytes_text(static_cast<double>(file.content_bytes)),
               count_text(static_cast<std::int64_t>(file.events)),
               printable(file.path) + (file.truncated ? "  (truncated)" : "")});
  }
  page.table(table);
}

}  // namespace pagoda
