// What estimates of striped plans are not less than: the steps of striped_time.cpp.
#include <algorithm>
#include <bit>

#include "collective/striped.hpp"
#include "cost/least_rounds.hpp"

namespace espalier::collective {

using cost::LeastCosts;
using cost::LeastRounds;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

/// Rounds of the smallest of the outermost clusters, with the pieces of the largest: all clusters
/// have as many rounds at least, and pieces that are not shorter.
class LeastStriped {
 public:
  LeastStriped(const StripedChoice& choice, const Hierarchy& hierarchy, const Collective& call,
               bool along)
      : choice_(choice),
        costs_(hierarchy.shape().least),
        along_(along),
        inside_(hierarchy.shape().smallest_outermost),
        clusters_(hierarchy.machine().clusters().front().member_count),
        largest_(hierarchy.shape().largest_outermost),
        bytes_(static_cast<double>(call.count) * static_cast<double>(call.element.value)),
        all_(bytes_ * call.size),
        part_(bytes_ / (choice.parts == 0 ? inside_ : choice.parts)) {}

  Picos finish(Operation operation) const {
    if (clusters_ < 2) return 0;
    switch (operation) {
      case Operation::Broadcast:
        // Among clusters of several sizes not every rank of the root's has a part for the others.
        return (inside_ == largest_ ? way_inside() : 0) + along_tree() + share_out(bytes_, false);
      case Operation::Reduce:
        return share_out(bytes_, true) + along_tree() + way_inside();
      case Operation::Allreduce:
        return share_out(bytes_, true) + across() + share_out(bytes_, false);
      case Operation::Allgather:
        return costs_.across(bytes_) + share_out(all_, false);
      default:
        return share_out(all_, true) + costs_.across(bytes_);
    }
  }

 private:
  [[nodiscard]] Picos share_out(double all, bool reduces) const {
    if (inside_ < 2) return 0;
    const double each = all / largest_;
    if (choice_.inside == Inside::Ring) {
      LeastRounds rounds(costs_, inside_, false);  // a ring of its own, not all around the machine
      rounds.ring(inside_ - 1.0, each, reduces);
      return rounds.finish();
    }
    LeastRounds rounds(costs_, inside_, along_);
    rounds.begin_apart();
    const Rank actives = std::bit_floor(inside_);
    if (reduces) {
      rounds.butterfly(true, [&](Rank mask) { return each * (actives / (2 * mask)); });
    } else {
      rounds.dissemination(
          [&](Rank distance) { return each * std::min<double>(distance, inside_ - distance); });
    }
    return rounds.finish();
  }

  /// From the root to the last rank of its cluster, or back, with a piece for each.
  [[nodiscard]] Picos way_inside() const {
    if (inside_ < 2 || choice_.parts != 0) return 0;
    const LeastRounds rounds(costs_, inside_, along_);
    Picos way = 0;
    for (Rank half = std::bit_floor(inside_) / 2; half > 0; half /= 2) {
      way += rounds.message(half, bytes_ / largest_);
    }
    return way * (1 - 1e-9);
  }

  [[nodiscard]] Picos along_tree() const {
    const double hops =
        choice_.tree.shape == Shape::Binomial ? std::bit_width(std::bit_floor(clusters_)) - 1 : 1;
    return hops * costs_.across(part_) * (1 - 1e-9);
  }

  [[nodiscard]] Picos across() const {
    const double doublings = std::bit_width(std::bit_floor(clusters_)) - 1;
    switch (choice_.across) {
      case Across::Exchange:
        return costs_.across(part_);
      case Across::RecursiveDoubling:
        return doublings * costs_.across(part_);
      case Across::Halving:
        return 2 * doublings * costs_.across(part_ / clusters_);
      case Across::Ring:
        return 2 * (clusters_ - 1.0) * costs_.across(part_ / clusters_);
      case Across::Direct:
        return 2 * costs_.across(part_ / clusters_);
    }
    return 0;
  }

  const StripedChoice& choice_;
  const LeastCosts& costs_;
  bool along_;
  Rank inside_;
  Rank clusters_;
  Rank largest_;
  double bytes_;
  double all_;
  double part_;
};

}  // namespace

Picos striped_least(const StripedChoice& choice, const Hierarchy& hierarchy,
                    const Collective& call) {
  const bool by_number = !call.commutative && (call.operation == Operation::Allreduce ||
                                               call.operation == Operation::ReduceScatter);
  const bool along = !by_number || hierarchy.shape().in_order;
  return LeastStriped(choice, hierarchy, call, along).finish(call.operation) * (1 - 1e-6);
}

}  // namespace espalier::collective
