#include "report/terminal/analysis_page.h"

#include <sstream>

#include <gtest/gtest.h>

#include "report/testing/sample_analysis.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(AnalysisPage, Golden) {
  EXPECT_EQ(analysis_page(sample_analysis()),
            R"(pagoda analyze   trace.json   NVIDIA H200   window: all   4 steps

  The GPU works 50 % of the time and stands idle 50 % (500 us of 1.00 ms). 100 % of the idle time:
  the host does not launch work fast enough.
  Communication that no kernel hides takes 5.0 % of the time (50.0 us).
  Most GPU time: aten::mm, 82 % (460 us in 10 calls).

Where the time goes  rank 0, device 0, NVIDIA H200
  window                   1.00 ms  100 %
  kernels, not classified   450 us   45 %  ██████████████████
  exposed communication    50.0 us  5.0 %  ██
  idle, launch-bound        500 us   50 %  ████████████████████
  check: window - buckets = 0 ns, busy - busy buckets = 0 ns
  10 kernels, 1 collective on 1 stream; communication 100 us, 50.0 us of it under kernels
  launched before capture 0 ns, unattributed 0 ns, without launch 0 ns

Top operators by GPU time  of 560 us
  share    time  calls     mean  operator                 shapes
   82 %  460 us     10  46.0 us  aten::mm                 [1,4096] [4096,4096]
   18 %  100 us      1   100 us  ncclDevKernel_AllReduce  (no operator)

Why the GPU stands idle  of 500 us
  share    time  gaps  cause         where
  100 %  500 us     9  launch-bound  cudaLaunchKernel of aten::mm

Collectives  skew: last arrival after the first, across ranks
    time  calls  median     p99  bus  skew  ranks  elements  collective
  100 us      1  100 us  100 us    -     -      -         -  allreduce

Doubts
  1 of 2 ranks given

Trace diagnostics  what was odd about the input (docs/commands.md)
  count  kind               first byte  example
      2  negative_duration       1,234  kernel
)");
}

TEST(AnalysisPage, NoProfileDrivesTheTerminal) {
  Analysis analysis = sample_analysis();
  const std::string evil =
      "evil\x1b[2J\x07\r\n\u202e\u009b"
      "31mname";
  for (std::string* text :
       {&analysis.operators[0].name, &analysis.operators[0].shapes, &analysis.operators[0].dtypes,
        &analysis.operators[0].module, &analysis.operators[0].top_kernel, &analysis.devices[0].name,
        &analysis.devices[0].window_label, &analysis.files[0].path, &analysis.files[0].format,
        &analysis.idle_causes[0].what, &analysis.collectives[0].name, &analysis.collectives[0].dtype,
        &analysis.warnings[0]})
    *text = evil;
  analysis.diagnostics.add(evil, {}, evil);
  analysis.stragglers.push_back({0, evil});
  analysis.counters.emplace_back();
  analysis.counter_names.push_back(evil);
  GraphRow& graph = analysis.graphs.emplace_back();
  graph.launch_call = evil;
  graph.kernels.push_back({evil, 1, 1});
  for (const bool verbose : {false, true}) {
    PageOptions options;
    options.verbose = verbose;
    const std::string page = analysis_page(analysis, options);
    for (std::size_t at = 0; at < page.size();) {
      const CodePoint point = code_point_at(page, at);
      EXPECT_TRUE(point.valid && (point.value == '\n' || !is_hostile(point.value))) << "at " << at;
      at += point.length;
    }
  }
}

TEST(AnalysisPage, FitsTheScreenWhateverTheNames) {
  Analysis analysis = sample_analysis();
  const std::string longest(5'000, 'x');
  for (int i = 0; i < 100; ++i) {
    OperatorRow row = analysis.operators[0];
    row.name = row.shapes = longest;
    analysis.operators.push_back(row);
    analysis.idle_causes.push_back({Bucket::idle_sync, longest, 1, 1});
    analysis.collectives.push_back(analysis.collectives[0]);
    analysis.collectives.back().name = longest;
    GraphRow& graph = analysis.graphs.emplace_back();
    graph.kernels.push_back({longest, 1, 1});
  }
  for (const std::string& line : lines_of(analysis_page(analysis)))
    EXPECT_LE(display_width(line), 100u) << line;
  EXPECT_LE(lines_of(analysis_page(analysis)).size(), 55u) << "with every section there is";
}

TEST(AnalysisPage, ManyRanksAreOneRowEach) {
  Analysis analysis = sample_analysis();
  for (int rank = 1; rank < 64; ++rank) {
    analysis.devices.push_back(analysis.devices[0]);
    analysis.devices.back().rank = rank;
  }
  const std::string page = analysis_page(analysis);
  EXPECT_NE(page.find("48 more devices: --verbose"), std::string::npos) << page;
  EXPECT_NE(page.find("check, all 64 devices: window - buckets = 0 ns"), std::string::npos) << page;
}

TEST(AnalysisPage, ABrokenAccountIsCalledABug) {
  Analysis analysis = sample_analysis();
  analysis.devices[0].buckets_ns[0] += 1;
  const std::string page = analysis_page(analysis);
  EXPECT_NE(page.find("window - buckets = -1 ns"), std::string::npos) << page;
  EXPECT_NE(page.find("THIS IS A BUG OF PAGODA"), std::string::npos);
}

TEST(AnalysisPage, NoGpuWorkIsSaid) {
  Analysis analysis;
  analysis.files.emplace_back().path = "cpu.json";
  EXPECT_NE(analysis_page(analysis).find("no GPU events in cpu.json"), std::string::npos);
}

TEST(AnalysisPage, ColourChangesNoText) {
  PageOptions options;
  options.colour = true;
  std::string page = analysis_page(sample_analysis(), options);
  EXPECT_NE(page.find("\x1b[1m"), std::string::npos);
  for (std::size_t at = 0; (at = page.find('\x1b', at)) != std::string::npos;)
    page.erase(at, page.find('m', at) - at + 1);
  EXPECT_EQ(page, analysis_page(sample_analysis()));
}

}  // namespace
}  // namespace pagoda
