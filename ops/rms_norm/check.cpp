// What is tested and timed of rms_norm, and its exact values.
#include <cmath>

#include "problem.h"
#include "rms_norm/cost.h"
#include "rms_norm/op.h"

namespace pagoda::bench {
namespace {

using ops::CastingMode;

class Forward : public Problem {
 public:
  enum { kX, kWeight, kY, kRstd, kResidual, kResidualOut };
  Forward(std::int64_t rows, std::int64_t cols, Dtype d, Dtype weight, bool add, CastingMode mode)
      : add_(add), mode_(mode) {
    op = "rms_norm";
    direction = add ? "add_fwd" : "fwd";
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    tensors = {{"x", d, rows, cols},
               {"weight", weight, 1, cols, Role::input, Fill::normal, 1, false},
               {"y", d, rows, cols, Role::output},
               {"rstd", Dtype::f32, 1, rows, Role::output, Fill::normal, 1, false, false}};
    if (add) {
      tensors.push_back({"residual", d, rows, cols});
      tensors.push_back({"residual_out", d, rows, cols, Role::output});
    }
    cost = ops::rms_norm_forward_cost(rows, cols, d, weight, add, true);
  }

  void launch(Tier tier, const Binding& b, void*, std::size_t, Stream stream) const override {
    ops::RmsNormForward a{
        matrix(b, kX), {b[kWeight].data, tensors[kWeight].dtype, tensors[kX].cols}, out(b, kY)};
    a.eps = kEps;
    a.mode = mode_;
    a.rstd = static_cast<float*>(b[kRstd].data);
    if (add_) {
      a.residual = matrix(b, kResidual);
      a.residual_out = out(b, kResidualOut);
    }
    ops::rms_norm_forward(tier, a, stream);
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    if (tensor == kRstd) {
      std::vector<double> all;
      for (std::int64_t r = 0; r < tensors[kX].rows; ++r) all.push_back(rstd(sum(r, in)));
      return all;
    }
    std::vector<double> h = sum(row, in);
    if (tensor == kResidualOut) return h;
    const std::vector<double>& w = in.row(kWeight, 0);
    const double scale = rstd(h);
    for (std::size_t c = 0; c < h.size(); ++c) {
      const double normalised = h[c] * scale;
      h[c] = mode_ == CastingMode::gemma ? normalised * (1 + w[c]) : normalised * w[c];
    }
    return h;
  }

  double tolerance(int tensor, double expected, double row_scale) const override {
    const double once = Problem::tolerance(tensor, expected, row_scale);
    // llama rounds the normalised value before the weight multiplies it: half an ulp of 1, which near 2 is two of
    // the product's.
    if (mode_ != CastingMode::llama || tensor != kY) return once;
    return once + 1.02 * std::abs(expected) * half_ulp(dtype, 1.0);
  }

 private:
  static constexpr float kEps = 1e-5f;
  std::vector<double> sum(std::int64_t row, RowReader& in) const {
    std::vector<double> h = in.row(kX, row);
    if (add_) {
      const std::vector<double>& r = in.row(kResidual, row);
      // fp32 first, as every implementation adds there: an exact sum could round the other way at a tie.
      for (std::size_t c = 0; c < h.size(); ++c) h[c] = stored_as(dtype, static_cast<float>(h[c] + r[c]));
    }
    return h;
  }
  static double rstd(const std::vector<double>& h) {
    double squares = 0;
    for (double v : h) squares += v * v;
    return 1 / std::sqrt(squares / static_cast<double>(h.size()) + kEps);
  }
  bool add_;
  CastingMode mode_;
};

class Backward : public Problem {
 public:
  enum { kDy, kX, kWeight, kRstd, kDx, kDweight, kDresidual };
  Backward(std::int64_t rows, std::int64_t cols, Dtype d, Dtype weight, bool add, CastingMode mode)
      : add_(add), mode_(mode) {
    op = "rms_norm";
    direction = add ? "add_bwd" : "bwd";
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    tensors = {{"dy", d, rows, cols},
               {"x", d, rows, cols},
               {"weight", weight, 1, cols, Role::input, Fill::normal, 1, false},
               {"rstd", Dtype::f32, 1, rows, Role::input, Fill::positive, 1, false},
               {"dx", d, rows, cols, Role::output},
               {"dweight", weight, 1, cols, Role::output, Fill::normal, 1, false, false}};
    if (add) tensors.push_back({"dresidual", d, rows, cols});
    cost = ops::rms_norm_backward_cost(rows, cols, d, weight, add, true);
  }

  std::size_t workspace_bytes(Tier tier, const Binding& b) const override {
    return ops::rms_norm_backward_workspace_bytes(tier, arguments(b));
  }

  void launch(Tier tier, const Binding& b, void* workspace, std::size_t bytes, Stream stream) const override {
    ops::RmsNormBackward a = arguments(b);
    a.workspace = workspace;
    a.workspace_bytes = bytes;
    ops::rms_norm_backward(tier, a, stream);
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    if (tensor == kDweight) return dweight(in);
    const auto &dy = in.row(kDy, row), &x = in.row(kX, row), &w = in.row(kWeight, 0);
    const double rstd = in.row(kRstd, 0)[row], offset = mode_ == CastingMode::gemma ? 1 : 0;
    double dot = 0;
    for (std::size_t c = 0; c < x.size(); ++c) dot += (w[c] + offset) * dy[c] * x[c] * rstd;
    dot /= static_cast<double>(x.size());
    std::vector<double> dx(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) dx[c] = rstd * ((w[c] + offset) * dy[c] - x[c] * rstd * dot);
    if (add_) {
      const auto& more = in.row(kDresidual, row);
      for (std::size_t c = 0; c < x.size(); ++c) dx[c] += more[c];
    }
    return dx;
  }

  double tolerance(int tensor, double expected, double row_scale) const override {
    // With llama's rounding x_hat itself is rounded to the activations' dtype before it is summed.
    const double rounding =
        tensor == kDweight && mode_ == CastingMode::llama ? half_ulp(dtype, 1.0) * 4 : 4e-6;
    return Problem::tolerance(tensor, expected, row_scale) + rounding * row_scale;
  }

 private:
  ops::RmsNormBackward arguments(const Binding& b) const {
    ops::RmsNormBackward a;
    a.dy = matrix(b, kDy);
    a.x = matrix(b, kX);
    a.weight = {b[kWeight].data, tensors[kWeight].dtype, tensors[kX].cols};
    a.rstd = static_cast<const float*>(b[kRstd].data);
    a.dx = out(b, kDx);
    a.dweight = {b[kDweight].data, tensors[kWeight].dtype, tensors[kX].cols};
    a.mode = mode_;
    if (add_) a.dresidual = matrix(b, kDresidual);
    return a;
  }
  std::vector<double> dweight(RowReader& in) const {
    std::vector<double> sum(static_cast<std::size_t>(tensors[kX].cols), 0.0);
    for (std::int64_t r = 0; r < tensors[kX].rows; ++r) {
      const auto &dy = in.row(kDy, r), &x = in.row(kX, r);
      const double rstd = in.row(kRstd, 0)[r];
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += dy[c] * x[c] * rstd;
    }
    return sum;
  }
  bool add_;
  CastingMode mode_;
};

template <class P>
ProblemPtr make(std::int64_t rows, std::int64_t cols, Dtype d, Dtype weight, bool add,
                CastingMode mode = CastingMode::none) {
  return std::make_unique<P>(rows, cols, d, weight, add, mode);
}

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {131072, 128}, {65536, 1024}, {16384, 4096}, {8192, 8192}, {4096, 16384}, {2048, 32768},
      {1024, 65536}, {512, 131072}, {256, 262144}, {1, 4096},    {64, 4096}};
  for (const auto& [rows, cols] : shapes) {
    for (bool add : {false, true}) {
      all.push_back(make<Forward>(rows, cols, Dtype::bf16, Dtype::bf16, add));
      all.push_back(make<Backward>(rows, cols, Dtype::bf16, Dtype::bf16, add));
    }
  }
  for (Dtype d : {Dtype::f16, Dtype::f32}) {
    all.push_back(make<Forward>(8192, 8192, d, d, false));
    all.push_back(make<Backward>(8192, 8192, d, d, false));
  }
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t cols : test_lengths(262144)) {
    const Dtype d = std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3];
    const Dtype weight = turn % 2 == 0 ? d : Dtype::f32;
    const auto mode = static_cast<CastingMode>(turn / 2 % 3);
    const std::int64_t rows = cols < 5000 ? 5 + turn % 40 : 3;
    all.push_back(make<Forward>(rows, cols, d, weight, turn % 4 == 1, mode));
    all.push_back(make<Backward>(rows, cols, d, weight, turn % 4 >= 2, mode));
    ++turn;
  }
  for (std::int64_t rows : {0, 1, 700}) {
    all.push_back(make<Forward>(rows, 128, Dtype::bf16, Dtype::bf16, true));
    all.push_back(make<Backward>(rows, 128, Dtype::bf16, Dtype::bf16, false));
    all.push_back(make<Backward>(rows, 1024, Dtype::bf16, Dtype::f32, true));
  }
  return all;
}

const RegisterSuite kRegister({"rms_norm", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
