#include "report/terminal/analysis_page.h"

#include <algorithm>

#include "report/terminal/account_section.h"
#include "report/terminal/headline.h"
#include "report/terminal/page.h"
#include "report/terminal/sections.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

// The name without its folders; of many files the first and how many more.
std::string subject(const Analysis& analysis) {
  if (analysis.files.empty()) return "nothing";
  const std::string path = printable(analysis.files.front().path);
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (analysis.files.size() > 1) name += " and " + std::to_string(analysis.files.size() - 1) + " more";
  return name;
}

std::string title_line(const Analysis& analysis) {
  std::string text = "pagoda analyze   " + subject(analysis);
  if (!analysis.devices.empty()) {
    const DeviceAccount& first = analysis.devices.front();
    text += "   ";
    if (analysis.devices.size() > 1) text += std::to_string(analysis.devices.size()) + " x ";
    text += first.name.empty() ? "GPU of unknown name" : printable(first.name);
    text += "   window: " + printable(first.window_label);
  }
  if (analysis.steps > 0) text += "   " + plural_text(analysis.steps, "step", "steps");
  return text;
}

void write_no_gpu(Page& page, const Analysis& analysis) {
  page.blank();
  page.sentence("There are no GPU events in " + subject(analysis) +
                    ": nothing ran on a GPU while it was recorded, "
                    "or the profiler did not look.",
                2, "1");
  page.sentence(
      "PyTorch: profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]). "
      "Nsight Systems: nsys profile --trace=cuda,nvtx.",
      2);
}

}  // namespace

std::string analysis_page(const Analysis& analysis, const PageOptions& options) {
  Page page(options.colour, options.verbose ? 0 : kPageColumns);
  const std::string title = title_line(analysis);
  page.line(page.bold(page.columns() > 0 ? shorten(title, page.columns()) : title));
  if (analysis.devices.empty()) {
    if (analysis.counters.empty()) write_no_gpu(page, analysis);
  } else {
    page.blank();
    for (const std::string& sentence : headline(analysis)) page.sentence(sentence, 2, "1");
    write_account(page, analysis, options);
    write_operators(page, analysis, options);
    write_idle(page, analysis, options);
  }
  write_graphs(page, analysis, options);
  write_collectives(page, analysis, options);
  write_stragglers(page, analysis);
  write_counters(page, analysis, options);
  write_warnings(page, analysis);
  write_diagnostics(page, analysis, options);
  if (options.verbose) write_files(page, analysis);
  return page.take();
}

}  // namespace pagoda
