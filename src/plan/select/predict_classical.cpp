#include <algorithm>
#include <bit>
#include <utility>

#include "select/predict.hpp"
#include "select/predict_steps.hpp"
#include "select/predict_tree.hpp"
#include "tree/double_binary.hpp"

namespace espalier::select {
namespace {

using collective::Shape;
using schedule::Collective;
using schedule::Operation;

/// One classical algorithm among all ranks of a call. Each case says what it does in words of
/// rounds, trees and rings; docs/collectives.md has the steps and bytes.
class ClassicalPrediction {
 public:
  /// @param order the ranks as the algorithm counts them
  ClassicalPrediction(const CostView& cost_view, const Collective& call, std::vector<Rank> order)
      : cost_view_(cost_view),
        call_(call),
        bytes_(static_cast<double>(call.count) * static_cast<double>(call.element.value)),
        size_(static_cast<double>(call.size)),
        rounds_(cost_view),
        everybody_(std::move(order)) {}

  Picos finish(const std::string& name) {
    switch (call_.operation) {
      case Operation::Broadcast:
        return broadcast(name);
      case Operation::Reduce:
        return reduce();
      case Operation::Allreduce:
        return allreduce(name);
      case Operation::Barrier:
        return barrier(name);
      case Operation::Gather:
        return gather_time(cost_view_, bundle_tree(name), bytes_);
      case Operation::Scatter:
        return scatter_time(cost_view_, bundle_tree(name), bytes_);
      case Operation::Allgather:
        return allgather(name);
      case Operation::Alltoall:
        return alltoall(name);
      case Operation::ReduceScatter:
        return reduce_scatter(name);
      case Operation::Scan:
      case Operation::Exscan:
        return scan(name);
      case Operation::Unknown:
        break;
    }
    return 0;
  }

 private:
  [[nodiscard]] std::vector<Rank> from_root() const {
    std::vector<Rank> turned = everybody_;
    std::rotate(turned.begin(), std::find(turned.begin(), turned.end(), call_.root), turned.end());
    return turned;
  }
  [[nodiscard]] WholeTree bundle_tree(const std::string& name) const {
    return participants_tree(call_.size, from_root(),
                             name == "linear" ? Shape::Flat : Shape::Binomial);
  }

  Picos broadcast(const std::string& name) {
    if (name == "double-tree") return double_tree();
    if (name == "binomial-in-turn") return binomial_in_turn();
    // Scattered down a binomial tree in pieces, then gathered by all.
    const WholeTree tree = bundle_tree("binomial");
    const double piece = bytes_ / size_;
    const Picos scattered = scatter_time(cost_view_, tree, piece);
    const std::vector<Rank> members = from_root();
    for (const Rank r : members) rounds_.set_clock(r, scattered);
    if (name == "scatter-ring") {
      rounds_.ring(members, size_ - 1, piece);
    } else {
      butterfly(rounds_, members, {}, [&](Rank, Rank mask) { return piece * mask; });
    }
    return rounds_.finish();
  }

  /// Round by round: whoever has it sends to one more, and not to the next before that has it.
  Picos binomial_in_turn() {
    const std::vector<Rank> members = from_root();
    std::vector<Rounds::RoundMessage> round;
    for (std::size_t mask = std::bit_ceil(members.size()) / 2; mask > 0; mask /= 2) {
      round.clear();
      for (std::size_t v = 0; v + mask < members.size(); v += 2 * mask) {
        round.push_back({members[v], members[v + mask], bytes_});
      }
      rounds_.exchange(round, false, true);
    }
    return rounds_.finish();
  }

  Picos double_tree() {
    const auto root = static_cast<Rank>(
        std::find(everybody_.begin(), everybody_.end(), call_.root) - everybody_.begin());
    const tree::DoubleTree trees = tree::double_binary(tree::everybody(call_.size, root));
    const std::vector<double> segments(cost_view_.machine().levels().size(),
                                       static_cast<double>(collective::kDoubleTreeSegment));
    Picos last = 0, busiest = 0;
    Loads both(cost_view_);
    for (const tree::CommTree* half : {&trees.first, &trees.second}) {
      const WholeTree tree = whole_tree(*half, everybody_);
      std::vector<Stream> streams(call_.size, {0, 0, bytes_ / 2});
      TreePrediction prediction(cost_view_, tree, bytes_ / 2, segments);
      prediction.broadcast(streams);
      for (const Stream& stream : streams) last = std::max(last, stream.last);
      const Loads one = prediction.broadcast_loads();
      busiest = std::max(busiest, one.busiest());
      both += one;
    }
    return last + std::max(0.0, both.busiest() - busiest);
  }

  /// Vector halving, then the pieces to the root along a binomial tree.
  Picos reduce() {
    butterfly(rounds_, everybody_, {true, true, bytes_, 0},
              [&](Rank, Rank mask) { return bytes_ / (2.0 * mask); });
    const Picos halved = rounds_.finish();
    return halved + gather_time(cost_view_, bundle_tree("binomial"), bytes_ / size_);
  }

  Picos allreduce(const std::string& name) {
    if (name == "recursive-doubling") {
      butterfly(rounds_, everybody_, {true, true, bytes_, bytes_},
                [&](Rank, Rank) { return bytes_; });
    } else if (name == "rabenseifner") {
      butterfly(rounds_, everybody_, {true, true, bytes_, 0},
                [&](Rank, Rank mask) { return bytes_ / (2.0 * mask); });
      butterfly(rounds_, everybody_, {false, false, 0, bytes_},
                [&](Rank, Rank mask) { return bytes_ / (2.0 * mask); });
    } else if (name == "direct") {
      const Picos combined = all_combine([this](Rank) { return call_.size - 1; }, bytes_ / size_);
      for (const Rank r : everybody_) rounds_.set_clock(r, combined);
      rounds_.all_to_all(everybody_, bytes_ / size_);
    } else {
      rounds_.ring(everybody_, size_ - 1, bytes_ / size_, true, 2);
      rounds_.ring(everybody_, size_ - 1, bytes_ / size_);
    }
    return rounds_.finish();
  }

  Picos barrier(const std::string& name) {
    if (name == "dissemination") {
      dissemination(rounds_, everybody_, [](Rank) { return 0.0; });
    } else {
      butterfly(rounds_, everybody_, {}, [](Rank, Rank) { return 0.0; });
    }
    return rounds_.finish();
  }

  Picos allgather(const std::string& name) {
    if (name == "ring") {
      rounds_.ring(everybody_, size_ - 1, bytes_);
    } else if (name == "bruck") {
      dissemination(rounds_, everybody_, [&](Rank distance) {
        return bytes_ * std::min<double>(distance, size_ - distance);
      });
    } else if (name == "recursive-doubling") {
      butterfly(rounds_, everybody_, {}, [&](Rank, Rank mask) { return bytes_ * mask; });
    } else if (name == "neighbour-exchange") {
      neighbour_exchange();
    } else if (name == "direct") {
      rounds_.all_to_all(everybody_, bytes_);
    } else {
      // To rank 0 and down again, whole.
      const WholeTree tree = participants_tree(call_.size, everybody_, Shape::Binomial);
      const Picos gathered = gather_time(cost_view_, tree, bytes_);
      const double all = bytes_ * size_;
      const std::vector<double> whole(cost_view_.machine().levels().size(), 0);
      std::vector<Stream> streams(call_.size, {gathered, gathered, all});
      TreePrediction(cost_view_, tree, all, whole).broadcast(streams);
      Picos last = gathered;
      for (const Stream& stream : streams) last = std::max(last, stream.last);
      return last;
    }
    return rounds_.finish();
  }

  /// After the first round pairs of blocks move on by one hop a round, both ways round.
  void neighbour_exchange() {
    std::vector<Rounds::RoundMessage> messages;
    for (Rank p = 0; p < call_.size; ++p) {
      messages.push_back({everybody_[p], everybody_[p ^ 1U], bytes_});
    }
    rounds_.exchange(messages);
    rounds_.ring(everybody_, size_ / 2 - 1, 2 * bytes_);
  }

  Picos alltoall(const std::string& name) {
    if (name == "direct") {
      rounds_.all_to_all(everybody_, bytes_);
    } else if (name == "pairwise") {
      pairwise(rounds_, everybody_, bytes_, false);
    } else {
      dissemination(rounds_, everybody_, [&](Rank distance) {
        // Blocks that have this bit of their way to go.
        Rank blocks = 0;
        for (Rank i = distance; i < call_.size; i += 2 * distance) {
          blocks += std::min(distance, call_.size - i);
        }
        return bytes_ * blocks;
      });
    }
    return rounds_.finish();
  }

  Picos reduce_scatter(const std::string& name) {
    if (name == "direct") return all_combine([this](Rank) { return call_.size - 1; }, bytes_);
    if (name == "ring") {
      rounds_.ring(everybody_, size_ - 1, bytes_, true);
    } else if (name == "pairwise") {
      pairwise(rounds_, everybody_, bytes_, true);
    } else {
      halving(rounds_, everybody_, name == "butterfly", bytes_);
    }
    return rounds_.finish();
  }

  Picos scan(const std::string& name) {
    std::vector<Rounds::RoundMessage> messages;
    std::vector<Rank> members = everybody_;
    if (name == "direct") return all_combine([this](Rank p) { return call_.size - 1 - p; }, bytes_);
    if (call_.operation == Operation::Exscan && name != "linear") {
      for (Rank r = 0; r + 1 < call_.size; ++r) messages.push_back({r, r + 1, bytes_});
      rounds_.exchange(messages);
      members.erase(members.begin());
    }
    const auto size = static_cast<Rank>(members.size());
    if (name == "linear") {
      // Each waits for the one before: a way through all ranks.
      for (Rank p = 0; p + 1 < size; ++p) {
        messages = {{members[p], members[p + 1], bytes_}};
        rounds_.exchange(messages, true, true);
      }
    } else if (name == "recursive-doubling") {
      for (Rank distance = 1; distance < size; distance *= 2) {
        messages.clear();
        for (Rank p = 0; p + distance < size; ++p) {
          messages.push_back({members[p], members[p + distance], bytes_});
        }
        rounds_.exchange(messages, true, true);
      }
    } else {
      binomial_scan(members);
    }
    return rounds_.finish();
  }

  /// Everybody sends to so many positions after its own, around, all messages at once; what comes
  /// is combined as it comes, by ranks that have sent theirs.
  template <typename Targets>
  Picos all_combine(Targets targets, double bytes) {
    constexpr Rank kFlowsUpTo = 128;
    if (call_.size > kFlowsUpTo) {  // by what each link has to carry; of a scan half of it
      const double part = static_cast<double>(targets(call_.size / 2)) / (size_ - 1);
      rounds_.all_to_all(everybody_, bytes * part, true);
      return rounds_.finish();
    }
    FlowSharing sharing(cost_view_);
    std::vector<Flow> flows;
    std::vector<Picos> clocks(call_.size, 0);
    for (Rank p = 0; p < call_.size; ++p) {
      for (Rank step = 1; step <= targets(p); ++step) {
        const Rank q = (p + step) % call_.size;
        clocks[p] += cost_view_.send(everybody_[p], bytes);
        flows.push_back({everybody_[p], everybody_[q], bytes, clocks[p]});
      }
    }
    std::vector<Picos> ends(call_.size, 0);
    for (Rank p = 0; p < call_.size; ++p) ends[everybody_[p]] = clocks[p];
    sharing.settle(flows);
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& a, const Flow& b) { return a.end < b.end; });
    Picos last = 0;
    for (const Flow& flow : flows) {
      Picos& end = ends[flow.to];
      end = std::max(end, flow.end) + cost_view_.recv(flow.to, bytes) +
            cost_view_.combine(flow.to, bytes);
      last = std::max(last, end);
    }
    return last;
  }

  void binomial_scan(const std::vector<Rank>& members) {
    const auto size = static_cast<Rank>(members.size());
    std::vector<Rounds::RoundMessage> messages;
    Rank half = 1;
    for (; half < size; half *= 2) {
      messages.clear();
      for (Rank p = half - 1; p + half < size; p += 2 * half) {
        messages.push_back({members[p], members[p + half], bytes_});
      }
      rounds_.exchange(messages, true, true);
    }
    // Who has its final result sends it on to all it serves at once.
    FlowSharing sharing(cost_view_);
    std::vector<Flow> flows;
    for (Rank low = half; low > 1; low /= 2) {
      for (Rank place = low; place <= size; place += 2 * low) {
        const Rank from = members[place - 1];
        flows.clear();
        Picos processor = rounds_.clock(from);
        for (Rank step = low / 2; step > 0; step /= 2) {
          if (place + step > size) continue;
          processor += cost_view_.send(from, bytes_);
          flows.push_back({from, members[place + step - 1], bytes_, processor});
        }
        sharing.settle(flows);
        rounds_.set_clock(from, processor);
        for (const Flow& flow : flows) {
          rounds_.set_clock(flow.to, std::max(rounds_.clock(flow.to), flow.end) +
                                         cost_view_.recv(flow.to, bytes_) +
                                         cost_view_.combine(flow.to, bytes_));
        }
      }
    }
  }

  const CostView& cost_view_;
  const Collective& call_;
  double bytes_;
  double size_;
  Rounds rounds_;
  std::vector<Rank> everybody_;
};

}  // namespace

Picos predict_classical(const std::string& name, std::vector<Rank> order, const CostView& cost_view,
                        const Collective& call) {
  if (call.size == 1) return 0;
  return ClassicalPrediction(cost_view, call, std::move(order)).finish(name);
}

}  // namespace espalier::select
