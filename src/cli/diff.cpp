#include "advice/diff.h"

#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/plan_request.h"
#include "cli/read_promises.h"
#include "core/error.h"
#include "report/terminal/diff_page.h"

namespace pagoda {
namespace {

struct DiffArguments {
  std::string before;
  std::string after;
  std::optional<double> before_ms;
  std::optional<double> after_ms;
  PlanRequest request;  // the options that both sides share
  std::string plan;
  std::string gate;
  std::string format = "text";
  std::string output;
  bool verbose = false;
};

/// "3%" or "0.03".
double gate_fraction(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string_view unit(end);
  if (end == text.c_str() || !(value >= 0) || (unit != "" && unit != "%"))
    throw Error("'" + text + "' is no gate", {"--gate", {}}, "give a part of the step: 3% or 0.03");
  return unit == "%" ? value / 100 : value;
}

Plan side(const DiffArguments& arguments, const std::string& path, std::optional<double> step_ms,
          bool& truncated) {
  PlanRequest request = arguments.request;
  request.traces = {path};
  request.step_time_ms = step_ms;
  PlanResult result = plan_of(request);
  truncated |= result.truncated;
  return std::move(result.plan);
}

ExitCode compare(const DiffArguments& arguments) {
  const bool gated = !arguments.gate.empty();
  const double gate = gated ? gate_fraction(arguments.gate) : 0;
  std::vector<Promise> promises;
  if (!arguments.plan.empty()) promises = read_promises(arguments.plan);
  bool truncated = false;
  const Plan before = side(arguments, arguments.before, arguments.before_ms, truncated);
  const Plan after = side(arguments, arguments.after, arguments.after_ms, truncated);
  const Diff diff = diff_of(before, after, std::move(promises));
  DiffPageOptions options;
  options.colour = arguments.output.empty() && wants_colour();
  options.verbose = arguments.verbose;
  options.language = chosen_language(arguments.request);
  const std::string text = arguments.format == "json" ? diff_json(diff) : diff_page(diff, options);
  arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  if (gated && diff.change_fraction() > gate) return ExitCode::gate_failed;
  return truncated ? ExitCode::truncated_input : ExitCode::ok;
}

}  // namespace

void add_diff(CLI::App& app, Job& job) {
  CLI::App* command =
      app.add_subcommand("diff", "What changed between two profiles, predicted beside achieved");
  auto arguments = std::make_shared<DiffArguments>();
  command->add_option("BEFORE", arguments->before, "Profile before the change")->required();
  command->add_option("AFTER", arguments->after, "Profile after it")->required();
  command->add_option("--step-time-before", arguments->before_ms, "Milliseconds of an unprofiled step before")
      ->check(CLI::PositiveNumber);
  command->add_option("--step-time-after", arguments->after_ms, "Milliseconds of an unprofiled step after")
      ->check(CLI::PositiveNumber);
  command->add_option("--plan", arguments->plan,
                      "BEFORE's plan (pagoda plan --format json): shows what it had promised");
  command->add_option("--gate", arguments->gate, "Exit 4 when the step became longer by more than this: 3%");
  command->add_option("--format", arguments->format, "text or json (pagoda.diff/1)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write instead of standard output");
  command->add_option("--window", arguments->request.window, "Part to compare: all or step")
      ->capture_default_str();
  command->add_option("--lang", arguments->request.language, "en or zh")->check(CLI::IsMember({"en", "zh"}));
  command->add_flag("-v,--verbose", arguments->verbose, "Every operator");
  command->add_flag("--no-progress", arguments->request.no_progress, "No progress bar");
  command->callback([arguments, &job] { job = [arguments](Team&) { return compare(*arguments); }; });
}

}  // namespace pagoda
