#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "advice/project.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "core/error.h"

namespace pagoda {

void add_init(CLI::App& app, Job& job) {
  CLI::App* command =
      app.add_subcommand("init", "Write a commented project.toml: fleet, team, deadline, accuracy");
  auto path = std::make_shared<std::string>("project.toml");
  command->add_option("FILE", *path, "File to write")->capture_default_str();
  command->callback([path, &job] {
    job = [path](Team&) {
      std::error_code failed;
      if (std::filesystem::exists(*path, failed))
        throw Error("is there already", {*path, {}}, "give another name, or remove it first");
      write_file(*path, Project::commented_template());
      return ExitCode::ok;
    };
  });
}

}  // namespace pagoda
