#include <algorithm>

#include "collective/halving.hpp"
#include "collective/partition.hpp"
#include "collective/round_steps.hpp"
#include "collective/striped.hpp"
#include "collective/stripes.hpp"
#include "collective/whole_trees.hpp"
#include "cost/bundles.hpp"

namespace espalier::collective {
namespace {

using cost::CostView;
using cost::Picos;
using cost::Rounds;
using cost::WholeTree;
using schedule::Collective;
using schedule::Operation;

/// The steps of striped.cpp: within the clusters, across between the owners of each
/// part, within again.
class StripedPrediction {
 public:
  StripedPrediction(const StripedChoice& choice, const CostView& cost_view,
                    const Partition& clusters, const Collective& call)
      : choice_(choice),
        cost_view_(cost_view),
        clusters_(clusters),
        stripes_(clusters, choice.parts),
        call_(call),
        bytes_(static_cast<double>(call.count * call.element.value)),
        rounds_(cost_view) {}

  Picos finish() {
    switch (call_.operation) {
      case Operation::Broadcast:
        broadcast();
        break;
      case Operation::Reduce:
        reduce();
        break;
      case Operation::Allreduce:
        share_out(bytes_, true);
        across();
        share_out(bytes_, false);
        break;
      case Operation::Allgather:
        blocks_across(false);
        share_out(bytes_ * call_.size, false);
        break;
      default:
        share_out(bytes_ * call_.size, true);
        blocks_across(true);
    }
    return rounds_.finish();
  }

 private:
  [[nodiscard]] double part() const { return bytes_ / stripes_.parts(); }
  /// The most that a position of a cluster of that size has of `all` bytes.
  [[nodiscard]] double piece(double all, std::size_t size) const {
    const bool blocks =
        call_.operation == Operation::Allgather || call_.operation == Operation::ReduceScatter;
    // Where there are fewer parts than ranks, some have none: in the mean it is as much.
    if (blocks || stripes_.parts() <= size) return all / static_cast<double>(size);
    const auto most = (stripes_.parts() + size - 1) / size;
    return all / stripes_.parts() * static_cast<double>(most);
  }

  [[nodiscard]] double longest(double all, std::size_t size) const {
    const bool blocks =
        call_.operation == Operation::Allgather || call_.operation == Operation::ReduceScatter;
    return blocks ? piece(all, size) : std::max(piece(all, size), all / stripes_.parts());
  }

  /// Reduce-scatter or allgather within every cluster.
  void share_out(double all, bool reduces) {
    for (const std::vector<Rank>& participants : clusters_.parts) {
      if (participants.size() < 2) continue;
      const double each = piece(all, participants.size());
      const auto size = static_cast<double>(participants.size());
      if (choice_.inside == Inside::Ring) {
        rounds_.ring(participants, size - 1, longest(all, participants.size()), reduces, 0, each);
      } else if (reduces) {
        halving(rounds_, participants, true, each);
      } else {
        dissemination(rounds_, participants, [&](Rank distance) {
          return each * std::min<double>(distance, size - distance);
        });
      }
    }
  }

  void across() {
    std::vector<std::vector<Rank>> owners;
    for (Rank i = 0; i < stripes_.parts(); ++i) owners.push_back(stripes_.owners(i, 0).ranks);
    const Rank count = clusters_.count();
    std::vector<Rounds::RoundMessage> messages;
    const auto round = [&](double bytes, bool combines, auto peer_of) {
      messages.clear();
      for (const auto& participants : owners) {
        for (Rank p = 0; p < count; ++p) {
          const Rank peer = peer_of(p);
          if (peer != p && peer < count)
            messages.push_back({participants[p], participants[peer], bytes});
        }
      }
      rounds_.exchange(messages, combines);
    };
    const auto all_to_all = [&](double bytes, bool combines) {
      messages.clear();
      for (const auto& participants : owners) {
        for (Rank p = 0; p < count; ++p) {
          for (Rank step = 1; step < count; ++step) {
            messages.push_back({participants[p], participants[(p + step) % count], bytes});
          }
        }
      }
      rounds_.exchange(messages, combines);
    };
    switch (choice_.across) {
      case Across::Exchange:
        return all_to_all(part(), true);
      case Across::Direct:
        all_to_all(part() / count, true);
        return all_to_all(part() / count, false);
      case Across::Ring:
        for (int phase = 0; phase < 2; ++phase) {
          for (Rank step = 1; step < count; ++step) {
            round(part() / count, phase == 0, [&](Rank p) { return (p + 1) % count; });
          }
        }
        return;
      case Across::RecursiveDoubling:
      case Across::Halving:
        return butterflies(owners);
    }
  }

  /// All parts' butterflies in step.
  void butterflies(const std::vector<std::vector<Rank>>& owners) {
    const Fold fold(clusters_.count());
    const bool halves = choice_.across == Across::Halving;
    std::vector<Rounds::RoundMessage> messages;
    const auto pairs = [&](bool in) {
      messages.clear();
      for (const auto& participants : owners) {
        for (Rank p = 0; p < clusters_.count(); ++p) {
          if (fold.is_active(p)) continue;
          const Rank active = participants[fold.partner(p)];
          messages.push_back(in ? Rounds::RoundMessage{participants[p], active, part()}
                                : Rounds::RoundMessage{active, participants[p], part()});
        }
      }
      if (!messages.empty()) rounds_.exchange(messages, in);
    };
    const auto step = [&](Rank mask, double bytes, bool combines) {
      messages.clear();
      for (const auto& participants : owners) {
        for (Rank a = 0; a < fold.actives(); ++a) {
          messages.push_back(
              {participants[fold.position(a)], participants[fold.position(a ^ mask)], bytes});
        }
      }
      rounds_.exchange(messages, combines);
    };
    pairs(true);
    for (Rank mask = 1; mask < fold.actives(); mask *= 2) {
      step(mask, halves ? part() / (2.0 * mask) : part(), true);
    }
    for (Rank mask = fold.actives() / 2; halves && mask > 0; mask /= 2) {
      step(mask, part() / (2.0 * mask), false);
    }
    pairs(false);
  }

  void broadcast() {
    const Rank home = clusters_.part_of[call_.root];
    const Rank position = clusters_.position_of[call_.root];
    std::vector<Rank> participants = clusters_.parts[home];
    std::rotate(participants.begin(), participants.begin() + position, participants.end());
    const WholeTree scatter = participants_tree(call_.size, participants, Shape::Binomial);
    const std::vector<Picos> there =
        scatter_times(cost_view_, scatter, bytes_ / static_cast<double>(participants.size()));
    for (const Rank r : participants) rounds_.set_clock(r, there[r]);
    along_trees(home, position, false);
    share_out(bytes_, false);
  }

  void reduce() {
    share_out(bytes_, true);
    const Rank home = clusters_.part_of[call_.root];
    along_trees(home, 0, true);
    std::vector<Rank> participants = clusters_.parts[home];
    std::rotate(participants.begin(), participants.begin() + clusters_.position_of[call_.root],
                participants.end());
    Picos latest = 0;
    for (const Rank r : participants) latest = std::max(latest, rounds_.clock(r));
    const WholeTree tree = participants_tree(call_.size, participants, Shape::Binomial);
    rounds_.set_clock(
        call_.root,
        latest + gather_time(cost_view_, tree, bytes_ / static_cast<double>(participants.size())));
  }

  /// Every part down (or up) its tree of owners, generation by generation.
  void along_trees(Rank home, Rank from, bool upwards) {
    std::vector<std::vector<std::pair<Rank, Rank>>> generations;  // positions of parent, child
    const Rank count = clusters_.count();
    std::vector<Rank> depth(count, 0);
    std::vector<Rank> queue{0};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto here = positions_in_group(choice_.tree.shape, queue[i], count);
      for (const Rank child : here.children) {
        depth[child] = depth[queue[i]] + 1;
        if (generations.size() < depth[child]) generations.emplace_back();
        generations[depth[child] - 1].push_back({queue[i], child});
        queue.push_back(child);
      }
    }
    if (upwards) std::reverse(generations.begin(), generations.end());
    std::vector<Rounds::RoundMessage> messages;
    for (const auto& generation : generations) {
      messages.clear();
      for (Rank i = 0; i < stripes_.parts(); ++i) {
        const std::vector<Rank> owners =
            upwards ? stripes_.owners(i, 0).ranks : stripes_.owners(i, 0, home, from).ranks;
        for (const auto& [parent, child] : generation) {
          const Rank a = owners[(home + parent) % count];
          const Rank b = owners[(home + child) % count];
          messages.push_back(upwards ? Rounds::RoundMessage{b, a, part()}
                                     : Rounds::RoundMessage{a, b, part()});
        }
      }
      rounds_.exchange(messages, upwards);
    }
  }

  /// Each rank's block to one rank of each other cluster, or from there.
  void blocks_across(bool reduces) {
    std::vector<Rounds::RoundMessage> messages;
    for (Rank c = 0; c < clusters_.count(); ++c) {
      const auto& participants = clusters_.parts[c];
      for (std::uint64_t p = 0; p < participants.size(); ++p) {
        for (Rank step = 1; step < clusters_.count(); ++step) {
          const auto& other = clusters_.parts[(c + step) % clusters_.count()];
          const Rank there = other[p * other.size() / participants.size()];
          messages.push_back(reduces ? Rounds::RoundMessage{there, participants[p], bytes_}
                                     : Rounds::RoundMessage{participants[p], there, bytes_});
        }
      }
    }
    rounds_.exchange(messages, reduces);
  }

  const StripedChoice& choice_;
  const CostView& cost_view_;
  const Partition& clusters_;
  Stripes stripes_;
  const Collective& call_;
  double bytes_;
  Rounds rounds_;
};

}  // namespace

Picos striped_time(const StripedChoice& choice, const CostView& cost_view,
                   const Hierarchy& hierarchy, const Collective& call) {
  const bool by_number = !call.commutative && (call.operation == Operation::Allreduce ||
                                               call.operation == Operation::ReduceScatter);
  const Partition clusters =
      outermost_clusters(hierarchy.machine(), by_number ? RankOrder::Rising : RankOrder::AlongTree);
  return StripedPrediction(choice, cost_view, clusters, call).finish();
}

}  // namespace espalier::collective
