#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/plan_request.h"
#include "report/terminal/plan_page.h"

namespace pagoda {
namespace {

struct ExplainArguments {
  PlanRequest request;
  std::string action;
};

ExitCode explain_action(const ExplainArguments& arguments) {
  const PlanResult result = plan_of(arguments.request);
  PlanPageOptions options;
  options.colour = wants_colour();
  options.language = chosen_language(arguments.request);
  write_standard_output(action_page(result.plan, arguments.action, options));
  return result.truncated ? ExitCode::truncated_input : ExitCode::ok;
}

}  // namespace

void add_explain(CLI::App& app, Job& job) {
  CLI::App* command = app.add_subcommand("explain", "The whole reasoning of one action of the plan");
  auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("ACTION", arguments->action, "Its number or id: 1, cuda_graph")->required();
  command->add_option("TRACE", arguments->request.traces, "The profiles that the plan is made from")
      ->required();
  add_plan_options(*command, arguments->request);
  command->callback([arguments, &job] { job = [arguments](Team&) { return explain_action(*arguments); }; });
}

}  // namespace pagoda
