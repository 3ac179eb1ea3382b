#include "cli/program.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/mpi_share.h"
#include "cli/nearest.h"
#include "core/error.h"
#include "report/text/utf8.h"

namespace pagoda {
namespace {

void say(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

// A path or a name inside a message comes from outside too.
std::string one_line(const std::string& text) { return printable(text); }

int report_error(const Error& error, bool leads) {
  if (leads) {
    say("pagoda: " + one_line(error.what()));
    if (!error.hint().empty()) say("  " + one_line(error.hint()));
  }
  return static_cast<int>(error.exit_code());
}

void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) throw Error("no command given", {}, "`pagoda --help` lists the commands");
  const std::string first = argv[1];
  if (first.starts_with("-")) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), first) != names.end()) return;
  const std::string near = nearest(first, names);
  throw Error("there is no command '" + first + "'", {},
              near.empty() ? "`pagoda --help` lists the commands" : "did you mean `pagoda " + near + "`?");
}

std::string help_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return "`pagoda " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") +
         "--help` shows what it takes";
}

ExitCode run(int argc, char** argv, Team& team) {
  CLI::App app("Reads a profile of an LLM workload and accounts for every nanosecond of GPU time.", "pagoda");
  app.set_version_flag("--version", std::string("pagoda ") + PAGODA_VERSION, "Print the version and exit");
  app.require_subcommand(0, 1);
  app.footer("`pagoda COMMAND --help` shows the options of a command; the manual is pagoda(1).");
  Job job;
  for (const AddCommand add : kCommands) add(app, job);
  refuse_unknown_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (team.leads()) write_standard_output(app.help());
    return ExitCode::ok;
  } catch (const CLI::CallForVersion& version) {
    if (team.leads()) write_standard_output(std::string(version.what()) + "\n");
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    throw Error(error.what(), {}, help_command(app));
  }
  if (!job) throw Error("no command given", {}, "`pagoda --help` lists the commands");
  return job(team);
}

int guarded_run(int argc, char** argv, Team& team) {
  try {
    return static_cast<int>(run(argc, argv, team));
  } catch (const Error& error) {
    return report_error(error, team.leads());
  } catch (const std::bad_alloc&) {
    return report_error(Error("out of memory", {}, "give fewer or smaller files at a time"), team.leads());
  } catch (const std::exception& error) {
    const Error bug(std::string("unexpected: ") + error.what(), {}, "this is a bug of Pagoda",
                    ExitCode::our_bug);
    return report_error(bug, team.leads());
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough (`| head`) is no error: see console.cpp
  Team team;
  try {
    team = Team::form();
  } catch (const Error& error) {
    return report_error(error, true);
  }
  return team.agree(guarded_run(argc, argv, team));
}

}  // namespace pagoda
