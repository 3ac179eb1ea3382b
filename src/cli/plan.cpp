#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/plan_request.h"
#include "report/html/plan_html.h"
#include "report/json/plan_json.h"
#include "report/markdown/plan_markdown.h"
#include "report/perfetto/gzip.h"
#include "report/perfetto/perfetto.h"
#include "report/terminal/plan_page.h"

namespace pagoda {
namespace {

struct PlanArguments {
  PlanRequest request;
  std::string format = "text";
  std::string output;
  std::string html;
  std::string perfetto;
  bool verbose = false;
};

std::string render(const Plan& plan, const PlanArguments& arguments) {
  if (arguments.format == "json") return plan_json(plan);
  if (arguments.format == "md") return plan_markdown(plan, chosen_language(arguments.request));
  PlanPageOptions options;
  options.colour = arguments.output.empty() && wants_colour();
  options.verbose = arguments.verbose;
  options.language = chosen_language(arguments.request);
  options.command = arguments.request.traces.front();
  return plan_page(plan, options);
}

ExitCode plan(const PlanArguments& arguments) {
  if (!arguments.output.empty()) check_output(arguments.output, arguments.request.traces);
  if (!arguments.html.empty()) check_output(arguments.html, arguments.request.traces);
  if (!arguments.perfetto.empty()) check_output(arguments.perfetto, arguments.request.traces);
  const PlanResult result = plan_of(arguments.request);
  if (!arguments.html.empty())
    write_file(arguments.html, plan_html(result.plan, chosen_language(arguments.request)));
  if (!arguments.perfetto.empty() && result.trace) {
    const std::string trace = perfetto_json(*result.trace, result.plan);
    write_file(arguments.perfetto, arguments.perfetto.ends_with(".gz") ? gzip(trace) : trace);
  }
  const std::string text = render(result.plan, arguments);
  arguments.output.empty() ? write_standard_output(text) : write_file(arguments.output, text);
  return result.truncated ? ExitCode::truncated_input : ExitCode::ok;
}

}  // namespace

void add_plan(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("plan", "Decide what to do: tiers, gains, costs, in order");
  auto arguments = std::make_shared<PlanArguments>();
  command
      ->add_option("TRACE", arguments->request.traces,
                   "Profiles: files, folders, tar archives or - for standard input")
      ->required();
  command->add_option("--format", arguments->format, "text, json (pagoda.plan/1) or md (a memo)")
      ->check(CLI::IsMember({"text", "json", "md"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write instead of standard output");
  command->add_option("--html", arguments->html, "Also write the report as one offline page");
  command->add_option("--perfetto", arguments->perfetto,
                      "Also write a trace for Perfetto UI with Pagoda's tracks (.json or .json.gz)");
  command->add_flag("-v,--verbose", arguments->verbose,
                    "Everything: all paths, operators, what was declined");
  add_plan_options(*command, arguments->request);
  command->callback([arguments, &job] { job = [arguments](Team&) { return plan(*arguments); }; });
}

}  // namespace pagoda
