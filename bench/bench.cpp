// pagoda-gpu bench: every operator, direction and shape, tiers interleaved, against the ceiling of this
// process.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <cuda_runtime_api.h>

#include "buffers.h"
#include "commands.h"
#include "common/check.h"
#include "core/error.h"
#include "measure.h"

namespace pagoda::bench {
namespace {

class CachedReader : public RowReader {
 public:
  explicit CachedReader(const TensorSet& set) : set_(set) {}
  const std::vector<double>& row(int tensor, std::int64_t row) override {
    auto [at, is_new] = rows_.try_emplace({tensor, row});
    if (is_new) at->second = set_.read_row(tensor, row);
    return at->second;
  }

 private:
  const TensorSet& set_;
  std::map<std::pair<int, std::int64_t>, std::vector<double>> rows_;
};

struct Cell {
  const Problem& problem;
  std::string tier;
  Timing timing;
  double max_error = 0;  ///< largest |out - exact| over its row's largest |exact|
  bool warm = false;
};

Tier tier_of(const std::string& name) { return name == "triton" ? Tier::triton : Tier::cuda; }

// Rows to compare with fp64: the first, the last and some between.
std::vector<std::int64_t> sample_rows(std::int64_t rows) {
  std::vector<std::int64_t> picked;
  for (int i = 0; i < 6; ++i) picked.push_back((rows - 1) * i / 5);
  picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
  return picked;
}

double largest_error(const Problem& problem, TensorSet& set, Tier tier, const DeviceBuffer& workspace) {
  set.fill(977);
  CachedReader reader(set);
  std::map<std::pair<int, std::int64_t>, std::vector<double>> exact;
  for (std::size_t t = 0; t < problem.tensors.size(); ++t) {
    const TensorSpec& spec = problem.tensors[t];
    if (spec.role == Role::input || !spec.sampled) continue;
    for (std::int64_t row : sample_rows(spec.rows)) {
      exact[{static_cast<int>(t), row}] = problem.reference(static_cast<int>(t), row, reader);
    }
  }
  problem.launch(tier, set.binding(), workspace.data(), workspace.bytes(), nullptr);
  ops::check_cuda(cudaDeviceSynchronize(), problem.op);
  double largest = 0;
  for (const auto& [where, expected] : exact) {
    const std::vector<double> got = set.read_row(where.first, where.second);
    double scale = 1e-30;
    for (double e : expected) scale = std::max(scale, std::fabs(e));
    for (std::size_t c = 0; c < got.size(); ++c) {
      const double error = std::fabs(got[c] - expected[c]) / scale;
      largest = std::isnan(error) ? INFINITY : std::max(largest, error);
    }
  }
  return largest;
}

std::vector<Cell> run_problem(const Problem& problem, const Options& options) {
  // Buffers of at least three times L2 take turns, so that no call finds its inputs there.
  const double l2 = static_cast<double>(ops::device_facts().l2_bytes);
  TensorSet first(problem, {}, 1);
  const double bytes = static_cast<double>(std::max<std::size_t>(first.total_bytes(), 1));
  const int sets = static_cast<int>(std::clamp(std::ceil(3 * l2 / bytes), 2.0, 64.0));
  std::vector<TensorSet> all;
  all.reserve(sets);
  for (int i = 0; i < sets; ++i) all.emplace_back(problem, Layout{}, i + 1);

  std::vector<Cell> cells;
  std::vector<Candidate> candidates;
  std::vector<DeviceBuffer> workspaces;
  workspaces.reserve(options.tiers.size());
  for (const std::string& name : options.tiers) {
    const Tier tier = tier_of(name);
    try {
      workspaces.emplace_back(problem.workspace_bytes(tier, first.binding()));
      const double error = largest_error(problem, first, tier, workspaces.back());
      cells.push_back({problem, name, {}, error, sets * bytes < 3 * l2});
    } catch (const Error& e) {
      std::printf("%s %s: %s\n", problem.op.c_str(), name.c_str(), e.what());
      continue;
    }
    const DeviceBuffer& workspace = workspaces.back();
    candidates.push_back({problem.op + " " + name, [&, tier](int call, Stream stream) {
                            problem.launch(tier, all[call % sets].binding(), workspace.data(),
                                           workspace.bytes(), stream);
                          }});
  }
  const int calls = std::max(20, sets);
  const std::vector<Timing> timings = measure(candidates, (calls + sets - 1) / sets * sets, options.replays);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].timing = timings[i];
  return cells;
}

struct Context {
  Ceilings ceilings;
  std::string device, driver, cuda;
};

void print_cell(const Cell& cell, const Context& context, const Options& options, std::FILE* file) {
  const Problem& p = cell.problem;
  const double per_s = static_cast<double>(p.cost.bytes) / cell.timing.median_us * 1e6;
  const double ceiling = p.reads_only ? context.ceilings.read_per_s : context.ceilings.copy_per_s;
  std::printf(
      "%-15s %-9s %-5s %-22s %-7s %9.2f us %7.0f GB/s %5.3f %s host %5.1f us err %.1e spread %.2f%s\n",
      p.op.c_str(), p.direction.c_str(), std::string(ops::dtype_name(p.dtype)).c_str(), p.shape.c_str(),
      cell.tier.c_str(), cell.timing.median_us, per_s / 1e9, per_s / ceiling, p.reads_only ? "R" : "C",
      cell.timing.host_us, cell.max_error, cell.timing.p90_us / cell.timing.p10_us,
      cell.warm ? " L2-warm" : "");
  if (file == nullptr) return;
  std::fprintf(
      file,
      "{\"kind\":\"op\",\"op\":\"%s\",\"tier\":\"%s\",\"implementation\":\"pagoda\",\"direction\":\"%s\","
      "\"dtype\":\"%s\",\"shape\":\"%s\",\"p10_us\":%.3f,\"median_us\":%.3f,\"p90_us\":%.3f,\"bytes\":%lld,"
      "\"flops\":%lld,\"gb_per_s\":%.1f,\"ceiling\":\"%s\",\"ceiling_gb_per_s\":%.1f,\"fraction\":%.4f,"
      "\"host_us\":%.2f,\"max_error\":%.2e,\"l2\":\"%s\",\"device\":\"%s\",\"driver\":\"%s\",\"cuda\":\"%s\","
      "\"commit\":\"%s\",\"date\":\"%s\",\"method\":\"graph replay, rotated buffers, tiers interleaved\"}\n",
      p.op.c_str(), cell.tier.c_str(), p.direction.c_str(), std::string(ops::dtype_name(p.dtype)).c_str(),
      p.shape.c_str(), cell.timing.p10_us, cell.timing.median_us, cell.timing.p90_us,
      static_cast<long long>(p.cost.bytes), static_cast<long long>(p.cost.flops), per_s / 1e9,
      p.reads_only ? "read" : "copy", ceiling / 1e9, per_s / ceiling, cell.timing.host_us, cell.max_error,
      cell.warm ? "warm" : "cold", context.device.c_str(), context.driver.c_str(), context.cuda.c_str(),
      options.commit.c_str(), options.date.c_str());
  std::fflush(file);
}

Context read_context(const Options& options) {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0;
  ops::check_cuda(cudaGetDeviceProperties(&properties, 0), "device");
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return {measure_ceilings(options.replays), properties.name, version(driver), version(runtime)};
}

}  // namespace

int run_bench(const Options& options) {
  std::FILE* file = options.save.empty() ? nullptr : std::fopen(options.save.c_str(), "a");
  if (file == nullptr && !options.save.empty())
    throw Error("cannot be opened for writing", {options.save, {}});
  const Context context = read_context(options);
  std::printf("ceilings: copy %.1f GB/s (C), read %.1f GB/s (R)\n", context.ceilings.copy_per_s / 1e9,
              context.ceilings.read_per_s / 1e9);
  for (const auto& [name, suite] : suites()) {
    if (!options.ops.empty() && std::find(options.ops.begin(), options.ops.end(), name) == options.ops.end())
      continue;
    for (const ProblemPtr& problem : suite.to_bench()) {
      if (!options.dtype.empty() && ops::dtype_name(problem->dtype) != options.dtype) continue;
      for (const Cell& cell : run_problem(*problem, options)) print_cell(cell, context, options, file);
      std::fflush(stdout);
    }
  }
  const Ceilings after = measure_ceilings(options.replays);
  std::printf("ceilings after: copy %.1f GB/s, read %.1f GB/s\n", after.copy_per_s / 1e9,
              after.read_per_s / 1e9);
  if (file != nullptr) std::fclose(file);
  return 0;
}

}  // namespace pagoda::bench
