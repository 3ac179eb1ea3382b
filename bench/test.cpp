// pagoda-gpu test: every tier against fp64 on fresh random data, outputs poisoned, memory around them
// guarded, repeats equal to the bit. Exit 1 when anything is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <cuda_runtime_api.h>

#include "buffers.h"
#include "commands.h"
#include "common/check.h"
#include "core/error.h"

namespace pagoda::bench {
namespace {

class SnapshotReader : public RowReader {
 public:
  explicit SnapshotReader(const TensorSet& set) : set_(set) {}
  const std::vector<double>& row(int tensor, std::int64_t row) override {
    auto [at, is_new] = rows_.try_emplace({tensor, row});
    if (is_new) at->second = set_.read_row(tensor, row);
    return at->second;
  }

 private:
  const TensorSet& set_;
  std::map<std::pair<int, std::int64_t>, std::vector<double>> rows_;
};

struct Tally {
  int runs = 0;
  int failures = 0;
  std::map<std::string, int> shown;
  void fail(const Problem& p, const std::string& tier, Layout layout, const std::string& what) {
    ++failures;
    constexpr int kShownOfEach = 12;
    if (++shown[p.op] <= kShownOfEach) {
      std::printf("FAIL %s %s %s %s %s pad %d shift %d: %s\n", p.op.c_str(), p.direction.c_str(),
                  std::string(ops::dtype_name(p.dtype)).c_str(), p.shape.c_str(), tier.c_str(),
                  static_cast<int>(layout.pad), static_cast<int>(layout.shift), what.c_str());
    }
  }
};

using Exact = std::map<std::pair<int, std::int64_t>, std::vector<double>>;

Exact exact_outputs(const Problem& p, const TensorSet& set) {
  SnapshotReader reader(set);
  Exact exact;
  for (std::size_t t = 0; t < p.tensors.size(); ++t) {
    if (p.tensors[t].role == Role::input) continue;
    for (std::int64_t row = 0; row < p.tensors[t].rows; ++row) {
      exact[{static_cast<int>(t), row}] = p.reference(static_cast<int>(t), row, reader);
    }
  }
  return exact;
}

std::string compare(const Problem& p, const TensorSet& set, const Exact& exact) {
  for (const auto& [where, expected] : exact) {
    const std::vector<double> got = set.read_row(where.first, where.second);
    double scale = 0;
    for (double e : expected) scale = std::isfinite(e) ? std::max(scale, std::fabs(e)) : scale;
    for (std::size_t c = 0; c < got.size(); ++c) {
      const double e = expected[c], g = got[c];
      if ((std::isnan(e) && std::isnan(g)) || e == g) continue;
      if (std::fabs(g - e) <= p.tolerance(where.first, e, scale)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "%s[%lld, %zu] is %.9g, exact %.9g (row scale %.3g)",
                    p.tensors[where.first].name.c_str(), static_cast<long long>(where.second), c, g, e,
                    scale);
      return text;
    }
  }
  return {};
}

void run_once(const Problem& p, Tier tier, const std::string& name, Layout layout, int repeats, unsigned seed,
              Tally& tally) {
  ++tally.runs;
  TensorSet set(p, layout, seed);
  DeviceBuffer workspace(p.workspace_bytes(tier, set.binding()));
  const Exact exact = exact_outputs(p, set);
  std::vector<std::vector<char>> first;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    if (repeat > 0) set.fill(seed);
    if (workspace.bytes() > 0) {
      ops::check_cuda(cudaMemset(workspace.data(), 0xff, workspace.bytes()), "poisoning the workspace");
    }
    p.launch(tier, set.binding(), workspace.data(), workspace.bytes(), nullptr);
    ops::check_cuda(cudaDeviceSynchronize(), p.op);
    std::vector<std::vector<char>> outputs;
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
      if (p.tensors[t].role != Role::input) outputs.push_back(set.bytes_of(static_cast<int>(t)));
    }
    if (repeat == 0) {
      first = std::move(outputs);
    } else if (outputs != first) {
      tally.fail(p, name, layout, "a repeat gave other bits");
      break;
    }
  }
  if (const std::string wrong = compare(p, set, exact); !wrong.empty()) tally.fail(p, name, layout, wrong);
  if (const std::int64_t bytes = set.damaged_bytes(); bytes > 0) {
    tally.fail(p, name, layout, std::to_string(bytes) + " bytes outside the outputs were written");
  }
}

// NaN and infinities in the inputs must come out where fp64 arithmetic says.
void run_special(const Problem& p, Tier tier, const std::string& name, Tally& tally) {
  for (const double special :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    ++tally.runs;
    TensorSet set(p, {}, 5);
    for (std::size_t t = 0; t < p.tensors.size(); ++t) {
      const TensorSpec& spec = p.tensors[t];
      if (spec.role == Role::output || spec.fill != Fill::normal || spec.rows < 3) continue;
      set.poke(static_cast<int>(t), 1, spec.cols / 2, special);
      break;
    }
    DeviceBuffer workspace(p.workspace_bytes(tier, set.binding()));
    const Exact exact = exact_outputs(p, set);
    p.launch(tier, set.binding(), workspace.data(), workspace.bytes(), nullptr);
    ops::check_cuda(cudaDeviceSynchronize(), p.op);
    if (const std::string wrong = compare(p, set, exact); !wrong.empty()) {
      tally.fail(p, name, {}, "with " + std::to_string(special) + ": " + wrong);
    }
  }
}

}  // namespace

int run_test(const Options& options) {
  Tally tally;
  for (const auto& [op, suite] : suites()) {
    if (!options.ops.empty() && std::find(options.ops.begin(), options.ops.end(), op) == options.ops.end())
      continue;
    const int before = tally.runs, failed = tally.failures;
    unsigned seed = 1;
    for (const ProblemPtr& p : suite.to_test()) {
      const bool large = p->cost.bytes > (std::int64_t{1} << 26);
      if (options.quick && (p->cost.bytes > (1 << 18) || seed % 5 != 0)) {
        ++seed;
        continue;
      }
      for (const std::string& name : options.tiers) {
        const Tier tier = name == "triton" ? Tier::triton : Tier::cuda;
        // Dense; padded rows that stay 16-byte aligned; padded and shifted so that nothing is.
        for (Layout layout : {Layout{0, 0}, Layout{32, 0}, Layout{3, 1}}) {
          if (large && layout.pad != 0) continue;
          ++seed;
          try {
            run_once(*p, tier, name, layout, seed % 40 == 0 ? 100 : 2, seed, tally);
          } catch (const Error& e) {
            tally.fail(*p, name, layout, e.what());
            if (e.exit_code() == ExitCode::our_bug) throw;
          }
        }
        if (!large && p->tensors[0].rows >= 3 && p->tensors[0].rows < 8) run_special(*p, tier, name, tally);
      }
    }
    std::printf("%-14s %5d runs, %d failures\n", op.c_str(), tally.runs - before, tally.failures - failed);
    std::fflush(stdout);
  }
  std::printf("%s: %d runs, %d failures\n", tally.failures == 0 ? "PASS" : "FAIL", tally.runs,
              tally.failures);
  return tally.failures == 0 ? 0 : 1;
}

}  // namespace pagoda::bench
