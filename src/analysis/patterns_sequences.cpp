#include <algorithm>

#include "analysis/work_units.h"

namespace pagoda {
namespace {

constexpr std::int64_t kAny = -1;

/// Finds operators in what consecutive units of one stream do. Sizes are compared where both are known.
class Sequences {
 public:
  explicit Sequences(Work& work) : work_(work), units_(work.units) {}

  void run() {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].draft != kNone) {
        extend_region_norm(i);
        continue;
      }
      switch (units_[i].role) {
        case Role::power: rms_norm(i); break;
        case Role::silu: gated(i, OperatorKind::swiglu); break;
        case Role::gelu: gated(i, OperatorKind::geglu); break;
        case Role::negate: rope(i); break;
        case Role::softmax: attention(i); break;
        case Role::log_softmax: cross_entropy(i); break;
        default: break;
      }
    }
  }

 private:
  bool is(std::size_t i, Role role, std::size_t near) const {
    return i < units_.size() && units_[i].role == role && free(i, near);
  }
  bool free(std::size_t i, std::size_t near) const {
    return i < units_.size() && units_[i].draft == kNone && units_[i].stream == units_[near].stream &&
           units_[i].phase == units_[near].phase;
  }
  std::int64_t written(std::size_t i) const {
    const OpCost* cost = work_.cost(units_[i]);
    return cost && !cost->writes.empty() ? cost->writes[0].elements : kAny;
  }
  std::int64_t read(std::size_t i, std::size_t which = 0) const {
    const OpCost* cost = work_.cost(units_[i]);
    return cost && which < cost->reads.size() ? cost->reads[which].elements : kAny;
  }
  static bool fit(std::int64_t a, std::int64_t b) { return a == kAny || b == kAny || a == b; }
  bool reads(std::size_t i, std::int64_t elements) const {
    const OpCost* cost = work_.cost(units_[i]);
    if (!cost || elements == kAny) return true;
    return std::any_of(cost->reads.begin(), cost->reads.end(),
                       [&](const Access& access) { return access.elements == elements; });
  }
  // Both operands are whole tensors of this size: no scale, no weight, no epsilon.
  bool joins_two(std::size_t i, std::int64_t elements) const {
    const OpCost* cost = work_.cost(units_[i]);
    if (!cost) return true;
    return cost->reads.size() >= 2 && cost->reads[0].elements == cost->reads[1].elements &&
           fit(cost->reads[0].elements, elements);
  }
  bool casts(std::size_t i) const {
    const OpCost* cost = work_.cost(units_[i]);
    return !cost || cost->reads.empty() || cost->writes.empty() ||
           cost->reads[0].bytes_each != cost->writes[0].bytes_each;
  }

  std::uint32_t claim(OperatorKind kind, std::initializer_list<std::size_t> members, float confidence) {
    const Unit& first = units_[*members.begin()];
    const bool by_kernel =
        std::any_of(members.begin(), members.end(), [&](std::size_t i) { return units_[i].by_kernel; });
    const bool sized = std::all_of(members.begin(), members.end(),
                                   [&](std::size_t i) { return work_.cost(units_[i]) != nullptr; });
    if (by_kernel) confidence = std::min(confidence, 0.6f);
    if (!sized) confidence = std::min(confidence, 0.8f);
    const std::uint32_t draft = work_.add_draft(
        kind, by_kernel ? RecognisedBy::kernel : RecognisedBy::sequence, confidence, first.phase);
    for (std::size_t i : members) units_[i].draft = draft;
    return draft;
  }

  // pow, mean, add eps, rsqrt, multiply; casts and the weight around them where they are.
  void rms_norm(std::size_t i) {
    for (std::size_t step = 0; step < 4; ++step) {
      constexpr Role kRest[] = {Role::mean, Role::add, Role::rsqrt, Role::multiply};
      if (!is(i + 1 + step, kRest[step], i)) return;
    }
    const std::int64_t x = read(i + 1);
    if (!fit(written(i), x) || !fit(written(i + 4), x) || !fit(written(i + 2), written(i + 3))) return;
    const std::uint32_t draft = claim(OperatorKind::rms_norm, {i, i + 1, i + 2, i + 3, i + 4}, 0.95f);
    std::size_t next = i + 5;
    bool cast = false;
    bool weight = false;
    while (free(next, i) && (!cast || !weight)) {
      if (!cast && units_[next].role == Role::copy && fit(written(next), x) && casts(next)) {
        cast = true;
      } else if (!weight && units_[next].role == Role::multiply && fit(written(next), x) &&
                 is_weight(next, x)) {
        weight = true;
      } else {
        break;
      }
      units_[next++].draft = draft;
    }
    std::size_t first = i;
    if (first > 0 && is(first - 1, Role::copy, i) && fit(written(first - 1), x) && casts(first - 1)) {
      units_[--first].draft = draft;
    }
    absorb_residual(first, x, draft);
  }

  // The weight has one element for each of the last dimension.
  bool is_weight(std::size_t i, std::int64_t x) const {
    const OpCost* cost = work_.cost(units_[i]);
    if (!cost) return true;
    if (cost->reads.size() < 2) return false;
    const std::int64_t small = std::min(cost->reads[0].elements, cost->reads[1].elements);
    return small < x ? work_.facts[units_[i].facts].last_dim == small : x == small;
  }

  void absorb_residual(std::size_t first, std::int64_t x, std::uint32_t draft) {
    if (first == 0 || !is(first - 1, Role::add, first) || !joins_two(first - 1, x)) return;
    if (units_[first - 1].by_kernel != units_[first].by_kernel) return;
    units_[first - 1].draft = draft;
    work_.drafts[draft].kind = OperatorKind::add_rms_norm;
  }

  // A norm module starts after the residual add that its caller made.
  void extend_region_norm(std::size_t i) {
    const std::uint32_t draft = units_[i].draft;
    if (work_.drafts[draft].kind != OperatorKind::rms_norm || work_.drafts[draft].how != RecognisedBy::module)
      return;
    if (i == 0 || units_[i - 1].draft == draft) return;
    const std::int64_t x = read(i);
    if (x != kAny) absorb_residual(i, x, draft);
  }

  // act(gate) * up; the GEMM that makes `up` may run in between.
  void gated(std::size_t i, OperatorKind kind) {
    const std::int64_t e = written(i);
    for (std::size_t j = i + 1; j < units_.size() && j <= i + 3 && units_[j].stream == units_[i].stream;
         ++j) {
      if (is(j, Role::multiply, i) && joins_two(j, e) && fit(written(j), e)) {
        claim(kind, {i, j}, 0.95f);
        return;
      }
      if (units_[j].role != Role::matmul && units_[j].role != Role::fill && units_[j].role != Role::copy)
        return;
    }
  }

  // x * cos + cat(-x2, x1) * sin, for the queries and at once after them for the keys.
  bool rotates(std::size_t neg) const {
    if (neg == 0 || !is(neg - 1, Role::multiply, neg) || !is(neg, Role::negate, neg)) return false;
    if (!is(neg + 1, Role::join, neg) || !is(neg + 2, Role::multiply, neg) || !is(neg + 3, Role::add, neg)) {
      return false;
    }
    const std::int64_t x = written(neg + 3);
    const std::int64_t half = written(neg);
    return fit(written(neg - 1), x) && fit(written(neg + 1), x) && fit(written(neg + 2), x) &&
           (half == kAny || x == kAny || half * 2 == x);
  }

  void rope(std::size_t neg) {
    if (!rotates(neg)) return;
    const std::uint32_t draft = claim(OperatorKind::rope, {neg - 1, neg, neg + 1, neg + 2, neg + 3}, 0.95f);
    if (!rotates(neg + 5)) return;
    for (std::size_t i = neg + 4; i <= neg + 8; ++i) units_[i].draft = draft;
  }

  bool between(std::size_t i, std::size_t softmax, std::int64_t scores) const {
    if (!free(i, softmax)) return false;
    switch (units_[i].role) {
      case Role::copy:
      case Role::multiply:
      case Role::divide:
      case Role::add:
      case Role::select:
      case Role::dropout: return fit(written(i), scores);
      case Role::fill: return written(i) == 1 || units_[i].by_kernel;  // a GEMM's workspace
      default: return false;
    }
  }

  // The values made contiguous for the matmul that follows.
  bool operand_copy(std::size_t i, std::size_t softmax) const {
    return is(i, Role::copy, softmax) && !casts(i) && is(i + 1, Role::matmul, softmax) &&
           reads(i + 1, written(i));
  }

  // matmul, scale, mask, cast, softmax, cast, dropout, matmul.
  void attention(std::size_t s) {
    const std::int64_t scores = written(s);
    std::size_t first = s;
    while (first > 0 && s - first < 7 && between(first - 1, s, scores)) --first;
    if (first == 0 || !is(first - 1, Role::matmul, s) || !fit(written(first - 1), scores)) return;
    --first;
    std::size_t last = s + 1;
    while (last < units_.size() && last - s < 5 && (between(last, s, scores) || operand_copy(last, s)))
      ++last;
    if (!is(last, Role::matmul, s) || !reads(last, scores)) return;
    const bool sized = scores != kAny;
    const std::uint32_t draft = claim(OperatorKind::attention, {first, s, last}, 0.95f);
    // Keys and values made contiguous for the matmul, and the output for the next one: a fused kernel takes
    // strides.
    if (sized) {
      const std::size_t product = first;
      while (first > 0 && product - first < 3 && is(first - 1, Role::copy, s) && !casts(first - 1) &&
             reads(product, written(first - 1)) && !repeats(first - 1)) {
        --first;
      }
      if (is(last + 1, Role::copy, s) && !casts(last + 1) && written(last + 1) == written(last)) ++last;
    }
    for (std::size_t i = first; i <= last; ++i) units_[i].draft = draft;
  }

  bool repeats(std::size_t i) const {
    return units_[i].facts != kNone && work_.facts[units_[i].facts].repeats;
  }

  // The cast of the logits may lie a few small label kernels before the log-softmax.
  void cross_entropy(std::size_t s) {
    std::size_t nll = s + 1;
    while (nll < s + 3 && free(nll, s) && units_[nll].role != Role::nll) ++nll;
    if (!is(nll, Role::nll, s)) return;
    const std::int64_t logits = written(s);
    const std::uint32_t draft = claim(OperatorKind::cross_entropy, {s, nll}, 0.95f);
    for (std::size_t back = 1; back <= 6 && back <= s; ++back) {
      const std::size_t i = s - back;
      if (!free(i, s)) break;
      if (units_[i].role == Role::copy && logits != kAny && written(i) == logits && casts(i)) {
        units_[i].draft = draft;
        break;
      }
    }
  }

  Work& work_;
  std::vector<Unit>& units_;
};

}  // namespace

void recognise_sequences(Work& work) { Sequences(work).run(); }

}  // namespace pagoda
