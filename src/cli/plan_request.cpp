#include "cli/plan_request.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "cli/console.h"
#include "cli/read_accounts.h"
#include "core/error.h"

namespace pagoda {

Language chosen_language(const PlanRequest& request) {
  const char* locale = std::getenv("LC_ALL");
  if (!locale || !*locale) locale = std::getenv("LANG");
  return language_of(request.language, locale ? locale : "");
}

void add_plan_options(CLI::App& command, PlanRequest& request) {
  command.add_option("--window", request.window, "Part to plan for: all or step")->capture_default_str();
  command.add_option("--step-time", request.step_time_ms, "Milliseconds of a step without the profiler")
      ->check(CLI::PositiveNumber);
  command.add_option("--peak-tflops", request.peak_tflops, "Peak of the GPU's matrix units, TFLOP/s")
      ->check(CLI::PositiveNumber);
  command.add_option("--peak-gbs", request.peak_gbs, "Peak of the GPU's memory, GB/s")
      ->check(CLI::PositiveNumber);
  command.add_option("--gpu-hour-cost", request.gpu_hour_cost, "Price of one GPU hour")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--gpus", request.gpus, "GPUs that run this workload")->check(CLI::PositiveNumber);
  command.add_option("--day-cost", request.day_cost, "Price of one engineer's day")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--project", request.project, "project.toml, as `pagoda init` writes it");
  command.add_option("--policy", request.policy, "policy.toml instead of the built-in one");
  command.add_option(
      "--preset", request.preset,
      "When CUDA is evaluated: tree (above 20 %) or last_resort (above 10 %, if Triton falls short)");
  command.add_option("--catalogue", request.catalogue, "catalogue.toml instead of the built-in one");
  command.add_option("--evidence", request.evidence,
                     "Evidence store (pagoda evidence) instead of the built-in rows; none: priors only");
  command.add_option("--lang", request.language, "en or zh; the locale decides by default")
      ->check(CLI::IsMember({"en", "zh"}));
  command.add_flag("--no-progress", request.no_progress, "No progress bar");
}

namespace {

PlanOptions options_of(const PlanRequest& request) {
  PlanOptions options;
  if (!request.policy.empty()) options.policy = Policy::from_file(request.policy);
  if (!request.preset.empty()) options.policy = options.policy.with_preset(request.preset);
  if (!request.catalogue.empty()) options.catalogue = Catalogue::from_file(request.catalogue);
  if (!request.project.empty()) options.project = Project::from_file(request.project);
  if (request.gpu_hour_cost) options.project.gpu_hour_cost = request.gpu_hour_cost;
  if (request.gpus) options.project.gpus = *request.gpus;
  if (request.day_cost) options.project.day_cost = request.day_cost;
  if (request.step_time_ms) options.step_time_ns = std::llround(*request.step_time_ms * 1e6);
  return options;
}

}  // namespace

PlanResult plan_of(const PlanRequest& request) {
  PlanOptions options = options_of(request);  // mistakes in it are said before a long read
  std::optional<EvidenceStore> store;
  if (request.evidence == "none") {
    options.evidence = nullptr;
  } else if (!request.evidence.empty()) {
    store.emplace(EvidenceStore::open(request.evidence, false));
    options.evidence = &*store;
  }
  ReadRequest read;
  read.paths = request.traces;
  read.analysis.window = WindowChoice::parse(request.window);
  if (read.analysis.window.kind == WindowChoice::Kind::annotation) {
    // Pieces of a run have no step whose length could be predicted.
    throw Error("a plan can't be made for '" + request.window + "'", {"--window", {}},
                "use all or step; pagoda analyze takes annotations");
  }
  if (request.peak_tflops) read.peaks.flops_per_s = *request.peak_tflops * 1e12;
  if (request.peak_gbs) read.peaks.bytes_per_s = *request.peak_gbs * 1e9;
  read.show_progress = !request.no_progress && error_is_terminal();
  read.keep_trace = true;
  ReadResult result = read_explained(read);
  PlanResult plan;
  plan.truncated = std::any_of(result.analysis.files.begin(), result.analysis.files.end(),
                               [](const FileSummary& file) { return file.truncated; });
  if (!result.kept) {
    plan.plan.analysis = std::move(result.analysis);
    return plan;
  }
  PlanInput input{result.kept->trace, result.kept->explanation, std::move(result.analysis),
                  find_steps(result.kept->trace).name};
  plan.plan = make_plan(std::move(input), options);
  plan.trace = std::move(result.kept->trace);
  return plan;
}

}  // namespace pagoda
