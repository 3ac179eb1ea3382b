// What is tested and timed of softmax, and its exact values.
#include <algorithm>
#include <cmath>

#include "problem.h"
#include "softmax/cost.h"
#include "softmax/op.h"

namespace pagoda::bench {
namespace {

class Softmax : public Problem {
 public:
  enum { kX, kY };          // forward
  enum { kDy, kYIn, kDx };  // backward
  Softmax(std::int64_t rows, std::int64_t cols, Dtype d, bool backward, double spread = 3)
      : backward_(backward) {
    op = "softmax";
    direction = backward ? "bwd" : "fwd";
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    if (backward) {
      tensors = {{"dy", d, rows, cols},
                 {"y", d, rows, cols, Role::input, Fill::uniform, 2.0 / static_cast<double>(cols)},
                 {"dx", d, rows, cols, Role::output}};
      cost = ops::softmax_backward_cost(rows, cols, d);
    } else {
      tensors = {{"x", d, rows, cols, Role::input, Fill::normal, spread}, {"y", d, rows, cols, Role::output}};
      cost = ops::softmax_forward_cost(rows, cols, d);
    }
  }

  void launch(Tier tier, const Binding& b, void*, std::size_t, Stream stream) const override {
    if (backward_) {
      ops::softmax_backward(tier, {matrix(b, kDy), matrix(b, kYIn), out(b, kDx)}, stream);
    } else {
      ops::softmax_forward(tier, {matrix(b, kX), out(b, kY)}, stream);
    }
  }

  std::vector<double> reference(int, std::int64_t row, RowReader& in) const override {
    if (!backward_) return forward(in.row(kX, row));
    const auto &dy = in.row(kDy, row), &y = in.row(kYIn, row);
    double dot = 0;
    for (std::size_t c = 0; c < y.size(); ++c) dot += dy[c] * y[c];
    std::vector<double> dx(y.size());
    for (std::size_t c = 0; c < y.size(); ++c) dx[c] = y[c] * (dy[c] - dot);
    return dx;
  }

 private:
  static std::vector<double> forward(std::vector<double> x) {
    double top = -INFINITY;
    for (double v : x) top = std::isnan(v) || std::isnan(top) ? NAN : std::max(top, v);
    double sum = 0;
    for (double& v : x) sum += v = std::exp(v - top);
    for (double& v : x) v /= sum;
    return x;
  }
  bool backward_;
};

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  for (bool backward : {false, true}) {
    for (auto [rows, cols] : {std::pair<std::int64_t, std::int64_t>{262144, 256},
                              {65536, 1024},
                              {16384, 4096},
                              {8192, 8192},
                              {8192, 32000},
                              {4096, 65536},
                              {2048, 131072},
                              {2048, 262144},
                              {64, 4096}}) {
      all.push_back(std::make_unique<Softmax>(rows, cols, Dtype::bf16, backward));
    }
    all.push_back(std::make_unique<Softmax>(8192, 8192, Dtype::f16, backward));
    all.push_back(std::make_unique<Softmax>(8192, 8192, Dtype::f32, backward));
  }
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t cols : test_lengths(262144)) {
    const Dtype d = std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3];
    const std::int64_t rows = cols < 5000 ? 3 + turn % 30 : 3;
    all.push_back(std::make_unique<Softmax>(rows, cols, d, false, turn % 5 == 0 ? 30 : 3));
    all.push_back(std::make_unique<Softmax>(rows, cols, d, true));
    ++turn;
  }
  for (std::int64_t rows : {0, 1}) all.push_back(std::make_unique<Softmax>(rows, 100, Dtype::bf16, false));
  return all;
}

const RegisterSuite kRegister({"softmax", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
