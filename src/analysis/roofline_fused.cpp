#include <algorithm>

#include "analysis/roofline_units.h"

namespace pagoda {
namespace {

using Kind = OperatorKind;
using Units = std::span<const std::uint32_t>;

/// Drafts with more units than this are summed, not searched for tensors handed on.
constexpr std::size_t kSearchedUnits = 64;

/// What one kernel in place of all of a draft's would read, write and compute.
class Fused {
 public:
  Fused(const Work& work, const std::vector<UnitPrice>& prices, const Members& members)
      : work_(work), prices_(prices), members_(members) {}

  FusedNeed of(std::uint32_t draft) const {
    const Units units = members_[draft];
    for (std::uint32_t u : units) {
      if (!prices_[u].known || !work_.cost(work_.units[u])) return {};
    }
    FusedNeed need = by_kind(draft, units);
    if (need.bytes_read < 0) return need;
    // Inputs that another operator left in L2 reach a fused kernel from there too.
    double in_l2 = 0;
    for (std::uint32_t u : units) in_l2 += prices_[u].l2_external;
    need.bytes_read = std::max(0.0, need.bytes_read - in_l2);
    return need;
  }

 private:
  FusedNeed by_kind(std::uint32_t draft, Units units) const {
    const bool backward = work_.drafts[draft].phase == Phase::backward;
    if (units.size() > 1) {
      switch (work_.drafts[draft].kind) {
        case Kind::rms_norm: return streams(units, backward ? 2 : 1, 1, weight(units));
        case Kind::add_rms_norm: return streams(units, backward ? 3 : 2, backward ? 1 : 2, weight(units));
        case Kind::layer_norm:
        case Kind::softmax: return streams(units, backward ? 2 : 1, 1, 0);
        case Kind::swiglu:
        case Kind::geglu: return streams(units, backward ? 3 : 2, backward ? 2 : 1, 0);
        case Kind::rope: return rope(units);
        case Kind::cross_entropy: return streams(units, 1, backward ? 1 : 0, 0);
        case Kind::attention: {
          const FusedNeed need = attention(draft, units, backward);
          if (need.bytes_read >= 0) return need;
          break;
        }
        default: break;
      }
    }
    return handed_on(units);
  }

  double flops(Units units) const {
    double total = 0;
    for (std::uint32_t u : units) {
      total += std::max(0.0, work_.cost(work_.units[u])->floor_flops) * work_.units[u].share;
    }
    return total;
  }

  // Intermediates in fp32 do not count: the narrowest floating type is the data's.
  double data_bytes(Units units) const {
    int best = 0;
    const auto look = [&](const std::vector<Access>& list) {
      for (const Access& access : list) {
        if (access.elements > 1 && access.bytes_each > 1 && (best == 0 || access.bytes_each < best)) {
          best = access.bytes_each;
        }
      }
    };
    for (std::uint32_t u : units) {
      look(work_.cost(work_.units[u])->reads);
      look(work_.cost(work_.units[u])->writes);
    }
    return best == 0 ? 1 : best;
  }

  double largest(Units units) const {
    std::int64_t elements = 0;
    for (std::uint32_t u : units) {
      for (const Access& access : work_.cost(work_.units[u])->writes)
        elements = std::max(elements, access.elements);
      for (const Access& access : work_.cost(work_.units[u])->reads)
        elements = std::max(elements, access.elements);
    }
    return static_cast<double>(elements);
  }

  double weight(Units units) const {
    const Unit& last = work_.units[units.back()];
    return last.facts == kNone ? 0 : static_cast<double>(work_.facts[last.facts].last_dim);
  }

  FusedNeed streams(Units units, double read, double written, double extra_elements) const {
    const double each = data_bytes(units);
    const double elements = largest(units);
    return {(read * elements + extra_elements) * each, written * elements * each, flops(units)};
  }

  // Queries and keys are read and written once; neg sees half of each.
  FusedNeed rope(Units units) const {
    double rotated = 0;
    double tables = 0;
    for (std::uint32_t u : units) {
      const OpCost& cost = *work_.cost(work_.units[u]);
      if (work_.units[u].role == Role::negate) rotated += 2 * static_cast<double>(cost.writes[0].elements);
      if (work_.units[u].role == Role::multiply && cost.reads.size() > 1) {
        tables = 2 * static_cast<double>(std::min(cost.reads[0].elements, cost.reads[1].elements));
      }
    }
    if (rotated == 0) return handed_on(units);
    const double each = data_bytes(units);
    return {(rotated + tables) * each, rotated * each, flops(units)};
  }

  // The masked half of square scores needs no work; that the mask is causal shows in its shape alone.
  double visible_fraction(std::uint32_t draft) const {
    const std::uint32_t forward = work_.drafts[draft].forward == kNone ? draft : work_.drafts[draft].forward;
    for (std::uint32_t u : members_[forward]) {
      if (work_.units[u].facts == kNone || !work_.facts[work_.units[u].facts].square_mask) continue;
      const double rows = static_cast<double>(work_.facts[work_.units[u].facts].last_dim);
      return (rows + 1) / (2 * rows);
    }
    return 1;
  }

  FusedNeed attention(std::uint32_t draft, Units units, bool backward) const {
    std::vector<const OpCost*> products;
    for (std::uint32_t u : units) {
      if (work_.units[u].role == Role::matmul) products.push_back(work_.cost(work_.units[u]));
    }
    if (products.size() != (backward ? 4u : 2u)) return {};
    double work = 0;
    for (const OpCost* product : products) work += product->flops;
    work *= visible_fraction(draft);
    if (!backward) {
      const double in =
          products[0]->reads[0].bytes() + products[0]->reads[1].bytes() + products[1]->reads[1].bytes();
      return {in, products[1]->writes[0].bytes(), work};
    }
    // A fused backward recomputes the scores (5 products for 4); it reads q, k, v, o and do, writes three.
    double tensor = products[0]->writes[0].bytes();
    for (const OpCost* product : products) tensor = std::min(tensor, product->writes[0].bytes());
    return {5 * tensor, 3 * tensor, work * 1.25};
  }

  // What no unit before wrote comes from outside; what no unit after reads leaves.
  FusedNeed handed_on(Units units) const {
    FusedNeed need{0, 0, flops(units)};
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Unit& unit = work_.units[units[i]];
      const OpCost& cost = *work_.cost(unit);
      for (const Access& read : cost.reads) {
        if (!written_before(units, i, read)) need.bytes_read += read.bytes() * unit.share;
      }
      for (const Access& write : cost.writes) {
        if (!read_after(units, i, write)) need.bytes_written += write.bytes() * unit.share;
      }
    }
    return need;
  }
  bool written_before(Units units, std::size_t i, const Access& access) const {
    if (units.size() > kSearchedUnits) return false;
    for (std::size_t j = 0; j < i; ++j) {
      for (const Access& write : work_.cost(work_.units[units[j]])->writes) {
        if (write.same_tensor(access)) return true;
      }
    }
    return false;
  }
  bool read_after(Units units, std::size_t i, const Access& access) const {
    if (units.size() > kSearchedUnits) return false;
    for (std::size_t j = i + 1; j < units.size(); ++j) {
      for (const Access& read : work_.cost(work_.units[units[j]])->reads) {
        if (read.same_tensor(access)) return true;
      }
    }
    return false;
  }

  const Work& work_;
  const std::vector<UnitPrice>& prices_;
  const Members& members_;
};

}  // namespace

Members::Members(const Work& work) : starts_(work.drafts.size() + 2, 0), units_(work.units.size()) {
  for (const Unit& unit : work.units) ++starts_[unit.draft + 2];
  for (std::size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  for (std::uint32_t u = 0; u < work.units.size(); ++u) units_[starts_[work.units[u].draft + 1]++] = u;
}

std::vector<FusedNeed> fused_needs(const Work& work, const std::vector<UnitPrice>& prices,
                                   const Members& members) {
  const Fused fused(work, prices, members);
  std::vector<FusedNeed> needs(work.drafts.size());
  for (std::uint32_t draft = 0; draft < needs.size(); ++draft) {
    if (!members[draft].empty()) needs[draft] = fused.of(draft);
  }
  return needs;
}

}  // namespace pagoda
