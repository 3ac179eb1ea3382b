// What is tested and timed of cross_entropy, and its exact values.
#include <cmath>

#include "cross_entropy/cost.h"
#include "cross_entropy/op.h"
#include "problem.h"

namespace pagoda::bench {
namespace {

using ops::Reduction;

struct Setting {
  bool gradient = false;
  Reduction reduction = Reduction::mean;
  float smoothing = 0, z_loss = 0;
};

class CrossEntropy : public Problem {
 public:
  enum { kLogits, kTargets, kLosses, kLse, kTotal };
  CrossEntropy(std::int64_t rows, std::int64_t cols, Dtype d, Setting s, double spread = 3) : s_(s) {
    op = "cross_entropy";
    direction = s.gradient ? "fwd_dlogits" : "fwd";
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    reads_only = !s.gradient;
    const Role logits = s.gradient ? Role::in_place : Role::input;
    tensors = {{"logits", d, rows, cols, logits, Fill::normal, spread},
               {"targets", Dtype::i64, 1, rows, Role::input, Fill::ids, static_cast<double>(cols), false},
               {"losses", Dtype::f32, 1, rows, Role::output, Fill::normal, 1, false, false},
               {"lse", Dtype::f32, 1, rows, Role::output, Fill::normal, 1, false, false}};
    if (s.reduction != Reduction::none) {
      tensors.push_back({"total", Dtype::f32, 1, 1, Role::output, Fill::normal, 1, false, false});
    }
    cost = ops::cross_entropy_cost(rows, cols, d, s.gradient);
  }

  std::size_t workspace_bytes(Tier, const Binding&) const override {
    return ops::kCrossEntropyWorkspaceBytes;
  }

  void launch(Tier tier, const Binding& b, void* workspace, std::size_t, Stream stream) const override {
    ops::CrossEntropy a;
    a.logits = matrix(b, kLogits);
    a.targets = static_cast<const std::int64_t*>(b[kTargets].data);
    a.losses = static_cast<float*>(b[kLosses].data);
    a.lse = static_cast<float*>(b[kLse].data);
    if (s_.reduction != Reduction::none) a.total = static_cast<float*>(b[kTotal].data);
    if (s_.gradient) a.dlogits = out(b, kLogits);
    a.reduction = s_.reduction;
    a.smoothing = s_.smoothing;
    a.z_loss = s_.z_loss;
    a.workspace = workspace;
    ops::cross_entropy(tier, a, stream);
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    if (tensor == kLogits) return gradient(row, in);
    std::vector<double> values;
    double total = 0;
    for (std::int64_t r = 0; r < tensors[kLogits].rows; ++r) {
      const double target = in.row(kTargets, 0)[r];
      const Stats s = stats(in.row(kLogits, r));
      const double loss =
          target == -100 ? 0 : loss_of(s, in.row(kLogits, r)[static_cast<std::size_t>(target)]);
      total += loss;
      values.push_back(tensor == kLse ? s.lse : loss);
    }
    if (tensor != kTotal) return values;
    return {s_.reduction == Reduction::mean ? total / valid(in) : total};
  }

  double tolerance(int tensor, double expected, double row_scale) const override {
    if (tensor != kLogits) return Problem::tolerance(tensor, expected, row_scale) + 1e-5;
    // p - 1 of a sure prediction: fp32 knows a probability to one part in 2^23 of 1, not of the difference.
    const double upstream = s_.reduction == Reduction::mean ? 1.0 / static_cast<double>(tensors[kLogits].rows) : 1;
    return Problem::tolerance(tensor, expected, row_scale) + 2.4e-7 * upstream;
  }

 private:
  struct Stats {
    double lse, mean;
  };
  static Stats stats(const std::vector<double>& x) {
    double top = -INFINITY, sum = 0, plain = 0;
    for (double v : x) top = std::isnan(v) || std::isnan(top) ? NAN : std::max(top, v);
    for (double v : x) {
      sum += std::exp(v - top);
      plain += v;
    }
    return {top + std::log(sum), plain / static_cast<double>(x.size())};
  }
  double loss_of(const Stats& s, double target_logit) const {
    double loss = (1 - double{s_.smoothing}) * (s.lse - target_logit) + double{s_.z_loss} * s.lse * s.lse;
    if (s_.smoothing > 0) loss += double{s_.smoothing} * (s.lse - s.mean);
    return loss;
  }
  double valid(RowReader& in) const {
    double count = 0;
    for (double t : in.row(kTargets, 0)) count += t != -100;
    return count;
  }
  std::vector<double> gradient(std::int64_t row, RowReader& in) const {
    std::vector<double> g = in.row(kLogits, row);
    const double target = in.row(kTargets, 0)[row];
    if (target == -100) return std::vector<double>(g.size(), 0.0);
    const double lse = stats(g).lse, scale = s_.reduction == Reduction::mean ? 1 / valid(in) : 1;
    const double smooth = double{s_.smoothing} / static_cast<double>(g.size());
    for (std::size_t c = 0; c < g.size(); ++c) {
      g[c] = std::exp(g[c] - lse) * (1 + 2 * double{s_.z_loss} * lse) - smooth;
      if (static_cast<double>(c) == target) g[c] -= 1 - double{s_.smoothing};
      g[c] *= scale;
    }
    return g;
  }
  Setting s_;
};

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  for (bool gradient : {false, true}) {
    for (auto [rows, cols] : {std::pair<std::int64_t, std::int64_t>{8192, 32000},
                              {8192, 128256},
                              {4096, 151936},
                              {2048, 262144}}) {
      all.push_back(std::make_unique<CrossEntropy>(rows, cols, Dtype::bf16, Setting{gradient}));
    }
    all.push_back(std::make_unique<CrossEntropy>(8192, 32000, Dtype::f32, Setting{gradient}));
  }
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t cols : test_lengths(262144)) {
    const Dtype d = std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3];
    Setting s{turn % 2 == 1, static_cast<Reduction>(turn / 2 % 3)};
    if (turn % 5 == 2) s.smoothing = 0.1f;
    if (turn % 7 == 3) s.z_loss = 1e-3f;
    // 8 rows and more: a mean over none is tested by hand, and special values go through the losses here.
    const std::int64_t rows = 8 + turn % 16;
    all.push_back(std::make_unique<CrossEntropy>(rows, cols, d, s, turn % 6 == 5 ? 20 : 3));
    s.gradient = !s.gradient;
    if (cols < 40000) all.push_back(std::make_unique<CrossEntropy>(rows, cols, d, s));
    ++turn;
  }
  all.push_back(std::make_unique<CrossEntropy>(0, 100, Dtype::bf16, Setting{true, Reduction::sum}));
  return all;
}

const RegisterSuite kRegister({"cross_entropy", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
