#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/mpi_share.h"
#include "cli/read_accounts.h"
#include "core/error.h"
#include "report/csv/csv.h"
#include "report/json/analysis_json.h"
#include "report/terminal/analysis_page.h"

namespace pagoda {
namespace {

struct AnalyzeArguments {
  std::vector<std::string> traces;
  std::string window = "all";
  std::string format = "text";
  std::string table = "operators";
  std::string output;
  std::size_t top = 10;
  bool verbose = false;
  bool no_progress = false;
};

std::string render(const Analysis& analysis, const AnalyzeArguments& arguments, const Team& team) {
  if (arguments.format == "json") return analysis_json(analysis);
  if (arguments.format == "csv") return analysis_csv(analysis, arguments.table);
  PageOptions options;
  // mpirun may pass a terminal on to the processes, while its own output goes into a file.
  options.colour = arguments.output.empty() && team.size() == 1 && wants_colour();
  options.verbose = arguments.verbose;
  options.top = arguments.top;
  return analysis_page(analysis, options);
}

void check_conservation(const Analysis& analysis) {
  for (const DeviceAccount& device : analysis.devices) {
    if (device.window_minus_buckets_ns() == 0 && device.busy_minus_buckets_ns() == 0) continue;
    throw Error("the buckets of rank " + std::to_string(device.rank) + ", device " +
                    std::to_string(device.device) + " do not add up to its window",
                {device.file, {}}, "this is a bug of Pagoda: please report it with the profile",
                ExitCode::our_bug);
  }
}

ExitCode analyze(const AnalyzeArguments& arguments, Team& team) {
  ReadRequest request;
  request.paths = arguments.traces;
  request.analysis.window = WindowChoice::parse(arguments.window);
  request.show_progress = !arguments.no_progress && error_is_terminal();
  if (!arguments.output.empty() && team.leads()) check_output(arguments.output, arguments.traces);
  const std::optional<Analysis> analysis = read_analysis(request, team);
  if (!analysis) return ExitCode::ok;  // the first process prints, and its exit code counts
  const std::string text = render(*analysis, arguments, team);
  arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  check_conservation(*analysis);
  const bool truncated = std::any_of(analysis->files.begin(), analysis->files.end(),
                                     [](const FileSummary& file) { return file.truncated; });
  return truncated ? ExitCode::truncated_input : ExitCode::ok;
}

}  // namespace

void add_analyze(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("analyze", "Account for every nanosecond of GPU time in a profile");
  auto arguments = std::make_shared<AnalyzeArguments>();
  command
      ->add_option("TRACE", arguments->traces,
                   "Profiles: files, folders, tar archives or - for standard input")
      ->required();
  command->add_option("--window", arguments->window, "Part to account for: all, step or annotation:NAME")
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text, json (pagoda.analysis/1) or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  const auto tables = csv_tables();
  command->add_option("--table", arguments->table, "Table of the csv: operators, devices, idle, ...")
      ->check(CLI::IsMember(std::vector<std::string>(tables.begin(), tables.end())))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write instead of standard output");
  command->add_option("--top", arguments->top, "Operators on the page")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("-v,--verbose", arguments->verbose, "Show every row, whole");
  command->add_flag("--no-progress", arguments->no_progress, "No progress bar");
  command->callback(
      [arguments, &job] { job = [arguments](Team& team) { return analyze(*arguments, team); }; });
}

}  // namespace pagoda
