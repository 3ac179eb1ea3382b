#include <cstdio>
#include <memory>
#include <optional>
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
#include "report/text/utf8.h"

namespace pagoda {
namespace {

struct AnalyzeArguments {
  std::vector<std::string> traces;
  std::string window = "all";
  std::string format = "text";
  std::string table;  // empty: not asked for
  std::string output;
  std::size_t top = 10;
  bool verbose = false;
  bool no_progress = false;
};

std::string render(const Analysis& analysis, const AnalyzeArguments& arguments, const Team& team) {
  if (arguments.format == "json") return analysis_json(analysis);
  if (arguments.format == "csv")
    return analysis_csv(analysis, arguments.table.empty() ? csv_tables().front() : arguments.table);
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

// Only the first process writes, so it alone may be refused; the others must then stop too.
bool output_is_fine(const AnalyzeArguments& arguments, Team& team) {
  std::optional<Error> refused;
  try {
    if (team.leads() && !arguments.output.empty()) check_output(arguments.output, arguments.traces);
  } catch (const Error& error) {
    refused = error;
  }
  const bool fine = team.share(refused ? 0 : 1) == 1;
  if (refused) throw *refused;
  return fine;
}

// What a reader of json or csv would not see.
void say_truncated(const FileSummary& file) {
  std::fputs(("pagoda: " + printable(file.path) + ": truncated: what was whole is analysed\n").c_str(),
             stderr);
}

ExitCode analyze(const AnalyzeArguments& arguments, Team& team) {
  if (!arguments.table.empty() && arguments.format != "csv")
    throw Error("--table is for --format csv", {}, "json and text hold every table");
  ReadRequest request;
  request.paths = arguments.traces;
  request.analysis.window = WindowChoice::parse(arguments.window);
  request.show_progress = !arguments.no_progress && error_is_terminal();
  if (!output_is_fine(arguments, team)) return ExitCode::bad_input;
  const std::optional<Analysis> analysis = read_analysis(request, team);
  if (!analysis) return ExitCode::ok;  // the first process prints, and its exit code counts
  const std::string text = render(*analysis, arguments, team);
  arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  check_conservation(*analysis);
  ExitCode code = ExitCode::ok;
  for (const FileSummary& file : analysis->files) {
    if (!file.truncated) continue;
    say_truncated(file);
    code = ExitCode::truncated_input;
  }
  return code;
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
  command->add_option("--table", arguments->table, "Table that the csv holds [operators]")
      ->check(CLI::IsMember(std::vector<std::string>(tables.begin(), tables.end())));
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
