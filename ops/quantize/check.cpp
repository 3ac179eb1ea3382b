// What is tested and timed of quantize, and its exact values.
#include <algorithm>
#include <cmath>

#include "problem.h"
#include "quantize/cost.h"
#include "quantize/op.h"

namespace pagoda::bench {
namespace {

class Quantize : public Problem {
 public:
  enum { kX, kQ, kScales };
  Quantize(std::int64_t rows, std::int64_t cols, std::int64_t group, Dtype d, Dtype q) : group_(group) {
    op = "quantize";
    direction = std::string(ops::dtype_name(q)) + (group == 0 ? "_row" : "_block" + std::to_string(group));
    shape = std::to_string(rows) + "x" + std::to_string(cols);
    dtype = d;
    const bool strided = group == 0;
    tensors = {
        {"x", d, rows, cols, Role::input, Fill::normal, 3, strided},
        {"q", q, rows, cols, Role::output, Fill::normal, 1, strided},
        {"scales", Dtype::f32, rows, group == 0 ? 1 : cols / group, Role::output, Fill::normal, 1, false}};
    cost = ops::quantize_cost(rows, cols, group, d);
  }

  void launch(Tier tier, const Binding& b, void*, std::size_t, Stream stream) const override {
    ops::quantize(tier, {matrix(b, kX), out(b, kQ), static_cast<float*>(b[kScales].data), group_}, stream);
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    std::vector<double> x = in.row(kX, row);
    const std::size_t group = group_ == 0 ? x.size() : static_cast<std::size_t>(group_);
    std::vector<double> scales;
    for (std::size_t start = 0; start < x.size(); start += group) {
      double top = 0;
      for (std::size_t c = start; c < start + group; ++c) top = std::fmax(top, std::fabs(x[c]));
      scales.push_back(top / limit());
      for (std::size_t c = start; c < start + group; ++c) x[c] = quantised(x[c], top);
    }
    return tensor == kScales ? scales : x;
  }

  double tolerance(int tensor, double expected, double row_scale) const override {
    if (tensor == kScales) return Problem::tolerance(tensor, expected, row_scale);
    return half_ulp(tensors[kQ].dtype, expected) * 1.001 + 1e-5 * limit();
  }

 private:
  double limit() const { return tensors[kQ].dtype == Dtype::i8 ? 127 : 448; }
  double quantised(double x, double top) const {
    if (std::isnan(x)) return tensors[kQ].dtype == Dtype::i8 ? 0 : NAN;
    if (top == 0) return 0;
    if (std::isinf(top)) return std::isinf(x) && tensors[kQ].dtype != Dtype::i8 ? NAN : 0;
    return x / top * limit();
  }
  std::int64_t group_;
};

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  for (Dtype q : {Dtype::e4m3, Dtype::i8}) {
    for (auto [rows, cols] : {std::pair<std::int64_t, std::int64_t>{65536, 1024},
                              {16384, 4096},
                              {16384, 11008},
                              {8192, 16384},
                              {64, 4096}}) {
      all.push_back(std::make_unique<Quantize>(rows, cols, 0, Dtype::bf16, q));
    }
  }
  all.push_back(std::make_unique<Quantize>(16384, 4096, 128, Dtype::bf16, Dtype::e4m3));
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t cols : test_lengths(65536)) {
    const Dtype d = std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3];
    const Dtype q = turn % 2 == 0 ? Dtype::e4m3 : Dtype::i8;
    all.push_back(std::make_unique<Quantize>(cols < 5000 ? 3 + turn % 30 : 3, cols, 0, d, q));
    ++turn;
  }
  all.push_back(std::make_unique<Quantize>(37, 1024, 128, Dtype::bf16, Dtype::e4m3));
  all.push_back(std::make_unique<Quantize>(37, 1000, 100, Dtype::f16, Dtype::i8));
  all.push_back(std::make_unique<Quantize>(0, 100, 0, Dtype::bf16, Dtype::e4m3));
  return all;
}

const RegisterSuite kRegister({"quantize", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
