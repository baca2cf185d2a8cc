#include "tree/multiple_multicast.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/contract.hpp"

namespace espalier::tree {
namespace {

/// A rank that has a multicast's message, and a bound on when its next send of it is delivered.
///
/// Nodes only become busier and receivers fewer, so a bound from the past is never too late: it is
/// enough to bring the least one up to date.
struct MulticastOffer {
  Time delivered;
  std::uint64_t
      served;  ///< kFewest minus the ranks that still wait: the multicast furthest behind is first
  std::uint32_t multicast;
  Rank sender;
  friend auto operator<=>(const MulticastOffer&, const MulticastOffer&) = default;
};
constexpr std::uint64_t kFewest = std::uint64_t{1} << 32;

/// The best receiver for an offer.
struct Choice {
  Time delivered = kForever;
  Time forwards = kForever;  ///< earliest time at which the receiver could deliver a message itself
  std::size_t index = 0;     ///< index in Multicast::waiting
  friend auto operator<=>(const Choice&, const Choice&) = default;
};

/// One multicast under way.
struct Multicast {
  CommTree tree;
  std::vector<Time> has_it;
  std::vector<Rank> waiting;  ///< ranks without the message, in rising order
};

class JointSchedule {
 public:
  JointSchedule(std::span<const Participants> multicasts, const model::CostModel& model, Bytes size)
      : model_(model), size_(size), free_to_send_(model.size()), free_to_receive_(model.size()) {
    for (const Participants& who : multicasts) add(who);
    run_.finish.resize(multicasts.size());
    find_quickest_sends();
  }

  SharedPlan run() {
    while (!offers_.empty()) {
      const MulticastOffer old = offers_.top();
      offers_.pop();
      if (multicasts_[old.multicast].waiting.empty()) continue;
      const Choice choice = best_receiver(old);
      const MulticastOffer now = offer(choice.delivered, old.multicast, old.sender);
      if (!offers_.empty() && offers_.top() < now) {
        offers_.push(now);
      } else {
        send(now, choice);
      }
    }
    return finished();
  }

 private:
  void add(const Participants& who) {
    expects(who.machine_size == model_.size(), "multiple_multicast: not the model's ranks");
    const auto number = static_cast<std::uint32_t>(multicasts_.size());
    std::vector<Time> has_it(who.machine_size, kForever);
    has_it[who.root] = Time{0};
    multicasts_.push_back({CommTree(who.machine_size, who.root), std::move(has_it), who.others});
    std::sort(multicasts_.back().waiting.begin(), multicasts_.back().waiting.end());
    offers_.push(offer(Time{0}, number, who.root));
  }

  [[nodiscard]] MulticastOffer offer(Time delivered, std::uint32_t multicast, Rank sender) const {
    return {delivered, kFewest - multicasts_[multicast].waiting.size(), multicast, sender};
  }

  /// How fast each rank could forward to anybody who waits for anything.
  void find_quickest_sends() {
    std::vector<bool> takes_part(model_.size(), false);
    for (const Multicast& m : multicasts_) {
      for (const Rank r : m.waiting) takes_part[r] = true;
    }
    quickest_send_.assign(model_.size(), kForever);
    for (Rank i = 0; i < model_.size(); ++i) {
      for (Rank j = 0; takes_part[i] && j < model_.size(); ++j) {
        if (i == j || !takes_part[j]) continue;
        quickest_send_[i] = std::min(quickest_send_[i], model_.cost(i, j, size_).delivered);
      }
    }
  }

  [[nodiscard]] Time start_of(std::uint32_t multicast, Rank sender) const {
    return std::max(free_to_send_[sender], multicasts_[multicast].has_it[sender]);
  }

  [[nodiscard]] Choice best_receiver(const MulticastOffer& from) const {
    const std::vector<Rank>& waiting = multicasts_[from.multicast].waiting;
    const Time start = start_of(from.multicast, from.sender);
    Choice best;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const Rank to = waiting[i];
      const model::MessageCost cost = model_.cost(from.sender, to, size_);
      const Time delivered =
          std::max(free_to_receive_[to] + cost.receiver_busy, start + cost.delivered);
      const Time forwards = std::max(delivered, free_to_send_[to]) + quickest_send_[to];
      best = std::min(best, Choice{delivered, forwards, i});
    }
    return best;
  }

  void send(const MulticastOffer& from, const Choice& choice) {
    Multicast& m = multicasts_[from.multicast];
    const Rank to = m.waiting[choice.index];
    const Time start = start_of(from.multicast, from.sender);
    const Time free = start + model_.cost(from.sender, to, size_).sender_busy;
    m.waiting.erase(m.waiting.begin() + static_cast<std::ptrdiff_t>(choice.index));
    m.tree.append_child(from.sender, to);
    m.has_it[to] = free_to_receive_[to] = choice.delivered;
    free_to_send_[from.sender] = free;
    run_.finish[from.multicast] = std::max(run_.finish[from.multicast], choice.delivered);
    run_.sends.push_back({from.multicast, from.sender, to, start, free, choice.delivered});
    offers_.push(offer(free, from.multicast, from.sender));
    offers_.push(offer(choice.delivered, from.multicast, to));
  }

  SharedPlan finished() {
    SharedPlan plan;
    for (Multicast& m : multicasts_) plan.trees.push_back(std::move(m.tree));
    std::stable_sort(run_.sends.begin(), run_.sends.end(), by_start);
    plan.run = std::move(run_);
    return plan;
  }

  const model::CostModel& model_;
  Bytes size_;
  std::vector<Multicast> multicasts_;
  std::vector<Time> free_to_send_;
  std::vector<Time> free_to_receive_;
  std::vector<Time> quickest_send_;
  std::priority_queue<MulticastOffer, std::vector<MulticastOffer>, std::greater<>> offers_;
  SharedRun run_;
};

/// What makes one run better than another.
std::pair<Time, Time> merit(const SharedRun& run) {
  Time sum;
  for (const Time t : run.finish) sum += t;
  return {last_finish(run), sum};
}

}  // namespace

// The problem: M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on
// heterogeneous networks of workstations", ICPP 1998, "multiple multicast". The greedy choice over
// (multicast, sender, receiver) is ours; with one multicast under initiation costs it is their FNF.
SharedPlan schedule_together(std::span<const Participants> multicasts,
                             const model::CostModel& model, Bytes size) {
  return JointSchedule(multicasts, model, size).run();
}

MultipleMulticast multiple_multicast(std::span<const Participants> multicasts,
                                     std::span<const CommTree> separate,
                                     const model::CostModel& model, Bytes size) {
  expects(separate.size() == multicasts.size(), "multiple_multicast: not one tree each");
  SharedPlan joint = schedule_together(multicasts, model, size);
  SharedPlan apart{{separate.begin(), separate.end()}, run_together(separate, model, size)};
  const std::pair<Time, Time> joint_merit = merit(joint.run);
  const std::pair<Time, Time> separate_merit = merit(apart.run);
  const bool take_joint = joint_merit <= separate_merit;
  return {take_joint ? std::move(joint) : std::move(apart), take_joint, joint_merit.first,
          separate_merit.first};
}

}  // namespace espalier::tree
