// What is tested and timed of swiglu, and its exact values.
#include <cmath>
#include <numbers>

#include "problem.h"
#include "swiglu/cost.h"
#include "swiglu/op.h"

namespace pagoda::bench {
namespace {

using ops::Activation;

struct Value {
  double value, slope;
};

Value activate(Activation kind, double x) {
  if (kind == Activation::silu) {
    const double s = 1 / (1 + std::exp(-x));
    return {x * s, s * (1 + x * (1 - s))};
  }
  if (kind == Activation::gelu_tanh) {
    const double a = std::sqrt(2 / std::numbers::pi), u = a * (x + 0.044715 * x * x * x), t = std::tanh(u);
    return {0.5 * x * (1 + t), 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * a * (1 + 3 * 0.044715 * x * x)};
  }
  const double cdf = 0.5 * (1 + std::erf(x / std::numbers::sqrt2));
  return {x * cdf, cdf + x * std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi)};
}

const char* name_of(Activation kind) {
  return kind == Activation::silu ? "" : kind == Activation::gelu_tanh ? "gelu_tanh_" : "gelu_erf_";
}

class Gated : public Problem {
 public:
  enum { kGate, kUp, kOut };         // forward
  enum { kDout = 2, kDgate, kDup };  // backward
  Gated(std::int64_t rows, std::int64_t cols, Dtype d, Activation kind, bool backward, double spread = 2)
      : kind_(kind), backward_(backward) {
    op = "swiglu";
    direction = std::string(name_of(kind)) + (backward ? "bwd" : "fwd");
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    tensors = {{"gate", d, rows, cols, Role::input, Fill::normal, spread}, {"up", d, rows, cols}};
    if (backward) {
      tensors.push_back({"dout", d, rows, cols});
      tensors.push_back({"dgate", d, rows, cols, Role::output});
      tensors.push_back({"dup", d, rows, cols, Role::output});
      cost = ops::swiglu_backward_cost(rows, cols, d);
    } else {
      tensors.push_back({"out", d, rows, cols, Role::output});
      cost = ops::swiglu_forward_cost(rows, cols, d);
    }
  }

  void launch(Tier tier, const Binding& b, void*, std::size_t, Stream stream) const override {
    if (backward_) {
      ops::swiglu_backward(
          tier, {matrix(b, kDout), matrix(b, kGate), matrix(b, kUp), out(b, kDgate), out(b, kDup), kind_},
          stream);
    } else {
      ops::swiglu_forward(tier, {matrix(b, kGate), matrix(b, kUp), out(b, kOut), kind_}, stream);
    }
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    const auto &gate = in.row(kGate, row), &up = in.row(kUp, row);
    std::vector<double> result(gate.size());
    for (std::size_t c = 0; c < gate.size(); ++c) {
      const Value a = activate(kind_, gate[c]);
      if (!backward_) {
        result[c] = a.value * up[c];
      } else {
        const double d = in.row(kDout, row)[c];
        result[c] = tensor == kDgate ? d * up[c] * a.slope : d * a.value;
      }
    }
    return result;
  }

 private:
  Activation kind_;
  bool backward_;
};

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  for (bool backward : {false, true}) {
    for (auto [rows, cols] : {std::pair<std::int64_t, std::int64_t>{16384, 11008},
                              {8192, 14336},
                              {32768, 1024},
                              {4096, 4096},
                              {1, 11008},
                              {64, 11008}}) {
      all.push_back(std::make_unique<Gated>(rows, cols, Dtype::bf16, Activation::silu, backward));
    }
    all.push_back(std::make_unique<Gated>(16384, 11008, Dtype::bf16, Activation::gelu_tanh, backward));
    all.push_back(std::make_unique<Gated>(8192, 11008, Dtype::f16, Activation::silu, backward));
    all.push_back(std::make_unique<Gated>(8192, 11008, Dtype::f32, Activation::silu, backward));
  }
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t cols : test_lengths(65536)) {
    const Dtype d = std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3];
    const auto kind = static_cast<Activation>(turn / 3 % 3);
    const std::int64_t rows = cols < 5000 ? 3 + turn % 20 : 3;
    // Without -inf in the gate of a gelu: there 0 * inf is NaN in exact arithmetic, and rounding decides.
    all.push_back(
        std::make_unique<Gated>(kind == Activation::silu ? rows : rows + 8, cols, d, kind, turn % 2 == 1, 4));
    ++turn;
  }
  for (std::int64_t rows : {0, 1})
    all.push_back(std::make_unique<Gated>(rows, 100, Dtype::bf16, Activation::silu, true));
  return all;
}

const RegisterSuite kRegister({"swiglu", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
