#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/tensor.h"

namespace pagoda::bench {

using ops::Cost;
using ops::Dtype;
using ops::Stream;
using ops::Tier;

enum class Role : unsigned char { input, output, in_place };

/// What a tensor is filled with before a run; every run draws fresh values.
enum class Fill : unsigned char {
  normal,     ///< normal, standard deviation `scale`
  uniform,    ///< [0, scale)
  positive,   ///< [0.5, 1.5) * scale
  ids,        ///< int64 below `scale`; about one in 16 is -100
  angle_cos,  ///< cos and sin of one random angle an element (same seed for the pair)
  angle_sin
};

struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::bf16;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Role role = Role::input;
  Fill fill = Fill::normal;
  double scale = 1;
  bool strided = true;  ///< tests may pad its rows and shift its start
  bool sampled = true;  ///< rows can be checked one by one; false: only whole, in tests
};

/// A tensor's place in device memory.
struct Bound {
  void* data = nullptr;
  std::int64_t row_stride = 0;
};
using Binding = std::vector<Bound>;

/// Reads rows of input tensors as fp64.
class RowReader {
 public:
  virtual ~RowReader() = default;
  virtual const std::vector<double>& row(int tensor, std::int64_t row) = 0;
};

/// One operator at one shape: its tensors, how to launch it, and what is right.
class Problem {
 public:
  virtual ~Problem() = default;
  std::string op, direction, shape;
  Dtype dtype = Dtype::bf16;
  std::vector<TensorSpec> tensors;
  Cost cost;
  bool reads_only = false;  ///< compared with the read ceiling, not the copy ceiling

  virtual void launch(Tier tier, const Binding& bound, void* workspace, std::size_t workspace_bytes,
                      Stream stream) const = 0;
  virtual std::size_t workspace_bytes(Tier, const Binding&) const { return 0; }

  /// The exact values of a row of an output, in fp64.
  virtual std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const = 0;
  /// How far from `expected` an element may be; `row_scale` is the largest finite |expected| of its row.
  virtual double tolerance(int tensor, double expected, double row_scale) const;

 protected:
  ops::ConstMatrix matrix(const Binding& b, int i) const {
    const TensorSpec& t = tensors[i];
    return {b[i].data, t.dtype, t.rows, t.cols, b[i].row_stride};
  }
  ops::Matrix out(const Binding& b, int i) const {
    const TensorSpec& t = tensors[i];
    return {b[i].data, t.dtype, t.rows, t.cols, b[i].row_stride};
  }
};

/// Half a unit in the last place of `dtype` at `value`: the error of a perfect rounding.
double half_ulp(Dtype dtype, double value);
/// `value` after storage in `dtype`, nearest even.
double stored_as(Dtype dtype, double value);

using ProblemPtr = std::unique_ptr<Problem>;

/// What an operator's check.cpp gives: problems to time, and problems to test.
struct Suite {
  std::string op;
  std::function<std::vector<ProblemPtr>()> to_bench;
  std::function<std::vector<ProblemPtr>()> to_test;
};
/// Every operator's suite, in alphabetical order; check.cpp files register theirs at start.
std::map<std::string, Suite>& suites();
struct RegisterSuite {
  explicit RegisterSuite(Suite suite) { suites()[suite.op] = std::move(suite); }
};

/// Row lengths that tests go through: every small one in steps, and the neighbours of powers of two.
std::vector<std::int64_t> test_lengths(std::int64_t largest);

}  // namespace pagoda::bench
