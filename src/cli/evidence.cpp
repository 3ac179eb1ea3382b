#include "advice/evidence.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "advice/toml_reader.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "report/terminal/evidence_page.h"

namespace pagoda {
namespace {

struct EvidenceArguments {
  std::string database;
  std::vector<std::string> imports;
  std::string operator_name;
};

ExitCode evidence(const EvidenceArguments& arguments) {
  if (arguments.database.empty()) {
    write_standard_output(
        evidence_page(EvidenceStore::built_in().rows(), arguments.operator_name, wants_colour()));
    return ExitCode::ok;
  }
  EvidenceStore store = EvidenceStore::open(arguments.database, !arguments.imports.empty());
  for (const std::string& path : arguments.imports) store.import_json_lines(read_text_file(path), path);
  write_standard_output(evidence_page(store.rows(), arguments.operator_name, wants_colour()));
  return ExitCode::ok;
}

}  // namespace

void add_evidence(CLI::App& app, Job& job) {
  CLI::App* command =
      app.add_subcommand("evidence", "Show the measured rows that plans rest on, or add rows to a store");
  auto arguments = std::make_shared<EvidenceArguments>();
  command->add_option("OPERATOR", arguments->operator_name, "Only this one: rms_norm");
  CLI::Option* database = command->add_option("--db", arguments->database,
                                              "Evidence store; default: the rows that ship with Pagoda");
  command
      ->add_option("--import", arguments->imports,
                   "JSON lines of pagoda-gpu bench --save to add to the store")
      ->needs(database);
  command->callback([arguments, &job] { job = [arguments](Team&) { return evidence(*arguments); }; });
}

}  // namespace pagoda
