// What is tested and timed of rope, and its exact values.
#include "problem.h"
#include "rope/cost.h"
#include "rope/op.h"

namespace pagoda::bench {
namespace {

using ops::RopeStyle;

struct Shape {
  std::int64_t batch, seq, q_heads, k_heads, head_dim, rotary_dim;
  RopeStyle style = RopeStyle::half;
  bool backward = false;
  bool in_place = false;
  bool batched_table = false;
};

// Rows are tokens, (batch, seq, heads, head_dim) in memory, as a projection leaves them.
class Rope : public Problem {
 public:
  enum { kQ, kK, kCos, kSin, kQOut, kKOut };
  Rope(Shape s, Dtype d) : s_(s) {
    op = "rope";
    direction = std::string(s.backward ? "bwd" : "fwd") + (s.in_place ? "_in_place" : "");
    shape = std::to_string(s.batch) + "x" + std::to_string(s.seq) + "x" + std::to_string(s.q_heads) + "+" +
            std::to_string(s.k_heads) + "x" + std::to_string(s.head_dim);
    dtype = d;
    const std::int64_t tokens = s.batch * s.seq, table_rows = s.batched_table ? tokens : s.seq;
    const Role role = s.in_place ? Role::in_place : Role::input;
    tensors = {{"q", d, tokens, s.q_heads * s.head_dim, role},
               {"k", d, tokens, s.k_heads * s.head_dim, role},
               {"cos", Dtype::f32, table_rows, s.rotary_dim / 2, Role::input, Fill::angle_cos},
               {"sin", Dtype::f32, table_rows, s.rotary_dim / 2, Role::input, Fill::angle_sin}};
    if (!s.in_place) {
      tensors.push_back({"q_out", d, tokens, s.q_heads * s.head_dim, Role::output});
      tensors.push_back({"k_out", d, tokens, s.k_heads * s.head_dim, Role::output});
    }
    cost = ops::rope_cost(tokens, table_rows, s.q_heads + s.k_heads, s.head_dim, s.rotary_dim, d);
  }

  void launch(Tier tier, const Binding& b, void*, std::size_t, Stream stream) const override {
    ops::Rope a;
    a.q = heads(b[kQ], s_.in_place ? b[kQ] : b[kQOut], s_.q_heads);
    a.k = heads(b[kK], s_.in_place ? b[kK] : b[kKOut], s_.k_heads);
    a.cosine = static_cast<const float*>(b[kCos].data);
    a.sine = static_cast<const float*>(b[kSin].data);
    a.batch = s_.batch;
    a.seq = s_.seq;
    a.head_dim = s_.head_dim;
    a.rotary_dim = s_.rotary_dim;
    a.table_seq_stride = b[kCos].row_stride;
    a.table_batch_stride = s_.batched_table ? s_.seq * b[kCos].row_stride : 0;
    a.dtype = dtype;
    a.style = s_.style;
    a.backward = s_.backward;
    ops::rope(tier, a, stream);
  }

  std::vector<double> reference(int tensor, std::int64_t row, RowReader& in) const override {
    const bool is_q = tensor == kQ || tensor == kQOut;
    std::vector<double> x = in.row(is_q ? kQ : kK, row);
    const std::int64_t table = s_.batched_table ? row : row % s_.seq, half = s_.rotary_dim / 2;
    const auto &cosine = in.row(kCos, table), &sine = in.row(kSin, table);
    for (std::int64_t h = 0; h < (is_q ? s_.q_heads : s_.k_heads); ++h) {
      double* head = x.data() + h * s_.head_dim;
      for (std::int64_t i = 0; i < half; ++i) {
        double& a = s_.style == RopeStyle::half ? head[i] : head[2 * i];
        double& b = s_.style == RopeStyle::half ? head[i + half] : head[2 * i + 1];
        const double c = cosine[i], n = s_.backward ? -sine[i] : sine[i], a0 = a;
        a = a0 * c - b * n;
        b = b * c + a0 * n;
      }
    }
    return x;
  }

 private:
  ops::RopeHeads heads(const Bound& in, const Bound& out, std::int64_t count) const {
    return {in.data,
            out.data,
            count,
            s_.seq * in.row_stride,
            in.row_stride,
            s_.head_dim,
            s_.seq * out.row_stride,
            out.row_stride,
            s_.head_dim};
  }
  Shape s_;
};

std::vector<ProblemPtr> to_bench() {
  std::vector<ProblemPtr> all;
  for (bool in_place : {false, true}) {
    for (Shape s :
         {Shape{4, 4096, 32, 32, 128, 128}, Shape{4, 4096, 32, 8, 128, 128}, Shape{8, 8192, 16, 4, 64, 64},
          Shape{1, 1, 32, 8, 128, 128}, Shape{1, 64, 32, 8, 128, 128}}) {
      s.in_place = in_place;
      all.push_back(std::make_unique<Rope>(s, Dtype::bf16));
    }
  }
  Shape s{4, 4096, 32, 32, 128, 128};
  s.backward = true;
  all.push_back(std::make_unique<Rope>(s, Dtype::bf16));
  return all;
}

std::vector<ProblemPtr> to_test() {
  std::vector<ProblemPtr> all;
  int turn = 0;
  for (std::int64_t dim : {2, 4, 6, 16, 32, 64, 80, 96, 128, 130, 256, 512}) {
    for (std::int64_t part : {1, 2, 3}) {
      for (RopeStyle style : {RopeStyle::half, RopeStyle::interleaved}) {
        const std::int64_t rotary = part == 1 ? dim : dim / part / 2 * 2;
        Shape s{1 + turn % 3, 1 + turn % 7, 1 + turn % 9,  1 + turn % 4,  dim,
                rotary,       style,        turn % 2 == 1, turn % 3 == 1, turn % 4 == 2};
        if (rotary > 0)
          all.push_back(std::make_unique<Rope>(s, std::array{Dtype::bf16, Dtype::f16, Dtype::f32}[turn % 3]));
        ++turn;
      }
    }
  }
  all.push_back(std::make_unique<Rope>(Shape{1, 0, 4, 4, 64, 64}, Dtype::bf16));
  all.push_back(std::make_unique<Rope>(Shape{2, 300, 32, 8, 128, 128}, Dtype::bf16));
  return all;
}

const RegisterSuite kRegister({"rope", to_bench, to_test});

}  // namespace
}  // namespace pagoda::bench
