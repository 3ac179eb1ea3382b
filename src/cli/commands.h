#pragma once
#include <array>
#include <functional>

#include "core/error.h"

namespace CLI {
class App;
}

namespace pagoda {

class Team;

/// What the chosen command does, once all arguments are read.
using Job = std::function<ExitCode(Team& team)>;
/// Declares a command and its options; when it is chosen, parsing sets `job`.
using AddCommand = void (*)(CLI::App& app, Job& job);

void add_analyze(CLI::App& app, Job& job);
void add_plan(CLI::App& app, Job& job);
void add_explain(CLI::App& app, Job& job);
void add_diff(CLI::App& app, Job& job);
void add_init(CLI::App& app, Job& job);
void add_evidence(CLI::App& app, Job& job);

/// One line per command, one file per command, in the order of `pagoda --help`.
inline constexpr std::array kCommands = {&add_analyze, &add_plan, &add_explain,
                                         &add_diff,    &add_init, &add_evidence};

}  // namespace pagoda
