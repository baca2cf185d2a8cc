#include "report/timed_tree.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

std::vector<Transfer> broadcast(const Machine& machine, const tree::CommTree& tree,
                                const model::CostModel& model, Bytes size,
                                std::vector<Time>& done) {
  std::vector<Transfer> of_child(tree.size());
  done[tree.root()] = Time{0};
  for (const Rank sender : tree.preorder()) {
    Time turns_to_it = done[sender];
    for (Rank c = tree.first_child(sender); c != kNoRank; c = tree.next_sibling(c)) {
      const model::MessageCost cost = model.cost(sender, c, size);
      const Time delivered = turns_to_it + cost.delivered;
      of_child[c] = {sender,
                     c,
                     machine.path(sender, c).level,
                     turns_to_it,
                     turns_to_it + cost.sender_busy,
                     delivered - cost.receiver_busy,
                     delivered};
      done[c] = delivered;
      turns_to_it += cost.sender_busy;
    }
  }
  return of_child;
}

/// The mirror of a broadcast: a rank sends up once it has heard from all its children, and hears
/// them one at a time, the one that a broadcast would serve last first, combining each at once.
std::vector<Transfer> reduce(const Machine& machine, const tree::CommTree& tree,
                             const model::CostModel& model, Bytes size, std::vector<Time>& done) {
  std::vector<Transfer> of_child(tree.size());
  std::vector<Rank> order = tree.preorder();
  std::reverse(order.begin(), order.end());  // children before their parents
  for (const Rank receiver : order) {
    std::vector<Rank> children = tree.children(receiver);
    std::reverse(children.begin(), children.end());
    const Time combine = transfer_time(size, machine.costs(receiver).reduce);
    Time free{0};
    for (const Rank c : children) {
      const model::MessageCost cost = model.cost(c, receiver, size);
      const Time arrives = done[c] + (cost.delivered - cost.receiver_busy);
      const Time receive_start = std::max(arrives, free);
      const Time delivered = receive_start + cost.receiver_busy;
      of_child[c] = {c,
                     receiver,
                     machine.path(c, receiver).level,
                     done[c],
                     done[c] + cost.sender_busy,
                     receive_start,
                     delivered};
      free = delivered + combine;
    }
    done[receiver] = free;
  }
  return of_child;
}

}  // namespace

TimedTree time_tree(const Machine& machine, std::string algorithm, tree::CommTree tree,
                    const model::CostModel& model, Bytes size, schedule::Operation operation) {
  expects(tree.size() == model.size() && tree.size() == machine.size(),
          "time_tree: tree, model and machine differ in size");
  expects(operation == schedule::Operation::Broadcast || operation == schedule::Operation::Reduce,
          "time_tree: neither a broadcast nor a reduction");
  TimedTree timed{std::move(algorithm), model.name(), operation, size, std::move(tree), {}, {}, {}};
  timed.done.assign(timed.tree.size(), kForever);
  const auto run = timed.upwards() ? reduce : broadcast;
  const std::vector<Transfer> of_child = run(machine, timed.tree, model, size, timed.done);
  const std::vector<Rank> order = timed.tree.preorder();
  for (auto child = order.begin() + 1; child != order.end(); ++child) {
    timed.transfers.push_back(of_child[*child]);
  }
  if (timed.upwards()) {
    timed.finish = timed.done[timed.tree.root()];
  } else {
    for (const Transfer& t : timed.transfers) timed.finish = std::max(timed.finish, t.delivered);
  }
  return timed;
}

Time mean_done(const TimedTree& timed) {
  if (timed.transfers.empty()) return Time{0};
  __int128 sum = 0;
  for (const Transfer& t : timed.transfers) sum += timed.done[timed.child(t)].picoseconds;
  return Time{static_cast<std::int64_t>(sum / static_cast<__int128>(timed.transfers.size()))};
}

std::vector<std::uint64_t> messages_per_level(const TimedTree& timed, const Machine& machine) {
  std::vector<std::uint64_t> count(machine.levels().size(), 0);
  for (const Transfer& t : timed.transfers) ++count[t.level];
  return count;
}

std::vector<Rank> critical_path(const TimedTree& timed) {
  const tree::CommTree& tree = timed.tree;
  std::vector<Rank> path{tree.root()};
  if (!timed.upwards()) {
    Rank last = tree.root();
    for (const Transfer& t : timed.transfers) {
      const bool later = timed.done[t.to] > timed.done[last];
      const bool tied = timed.done[t.to] == timed.done[last] && t.to < last;
      if (later || (tied && last != tree.root())) last = t.to;
    }
    for (Rank at = last; at != tree.root(); at = tree.parent(at)) path.push_back(at);
    std::reverse(path.begin() + 1, path.end());
    return path;
  }
  // Heard last is whom a broadcast would serve first.
  while (tree.first_child(path.back()) != kNoRank) path.push_back(tree.first_child(path.back()));
  return path;
}

}  // namespace espalier::report
