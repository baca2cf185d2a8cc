#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "group/construction.hpp"
#include "group/outbox.hpp"
#include "group/tree_operation.hpp"

namespace espalier::group {

class Group;
class Ticket;

/// How a group is split.
struct SplitOptions {
  Scheme scheme = Scheme::RankAndHash;  ///< a split with colours takes RankAndHashColours instead
  Rank degree = 3;
  bool routable = true;  ///< Rank-and-Hash: reach every rank in O(log m) hops, not through the root
  /// Over for nobody before it is over for all: a barrier on the parent's tree at the end. Needed
  /// where a process that is done may stop making progress, since others may still need it on
  /// their way through the parent group. In the world nobody does, and there is no barrier.
  bool settled = false;
};

/// What has come from another member of a group.
struct Parcel {
  Rank from = kNoRank;
  std::vector<std::byte> data;
};

/// One process: the groups that it is in, the constructions and operations that it takes part in.
///
/// Passive: whoever runs it hands it what arrives. All calls return at once; a call on a group must
/// be made by all its members in the same order, like MPI's. Messages that come before the call
/// they belong to wait here.
class Process {
 public:
  /// @pre the endpoint outlives it; self() < world_size
  Process(Endpoint& endpoint, Rank world_size, Rank degree);
  ~Process();
  Process(const Process&) = delete;  // handles refer to the process
  Process& operator=(const Process&) = delete;

  [[nodiscard]] Group world();
  /// By its name, as Group::tag() says it. @pre this process is in it
  [[nodiscard]] Group group(Tag tag);
  void receive(const Message& message);
  /// Goes on with what the endpoint had no room for. To be called when it may have some again.
  void pump();
  /// Messages that wait for room; the data of collectives stay where they are and are not counted.
  [[nodiscard]] std::size_t held_messages() const { return outbox_.size(); }
  /// Whether a message to this rank of a group can be sent at once; if not, some are waiting.
  [[nodiscard]] bool can_send(Tag group, Rank to) const;

  [[nodiscard]] std::size_t live_groups() const { return groups_.size(); }
  /// Trees for roots, of groups that were not given up; each is one of the live groups.
  [[nodiscard]] std::size_t trees_for_roots() const;
  /// Whether no call of this process is under way: collectives, groups that are being made.
  [[nodiscard]] bool is_quiet() const;
  /// Gives up every group but the world as Group::retire() does. @pre is_quiet()
  void retire_all();
  /// Messages that wait for a call; none when all members have made all their calls.
  [[nodiscard]] std::size_t waiting_messages() const;
  /// All memory that groups hold, under way or made.
  [[nodiscard]] std::size_t bytes() const;

 private:
  friend class Group;
  friend class Splitting;
  friend class Ticket;
  struct State;
  struct Making {
    std::unique_ptr<Construction> construction;
    Tag parent = 0;
    Colour colour = kNoColour;
    bool settled = false;
    std::uint32_t number = 0;  // index among the splits of the parent
  };
  /// A tree for a root that is being made, and the calls that are to go over it.
  struct TreeToBe {
    Tag construction = 0;
    std::vector<TreeOperation::Call> calls;
  };
  struct Made {
    Tag group = 0;  // name of the new group; 0: this process is no member
    Tag parent = 0;
    std::uint32_t barrier = 0;  // operation of the parent group to wait for; 0: none
  };

  State* state(Tag tag);
  void make(Tag tag, Making making);
  void finish(Tag making);
  Ticket start(Tag group, TreeOperation::Call call);
  Ticket start_on_own_tree(Tag group, TreeOperation::Call call);
  [[nodiscard]] Tag own_tree(State& group, Rank root);
  void start_on_trees_made();
  void begin(State& group, TreeOperation::Call call);
  void barrier(State& group, std::uint32_t sequence);
  void retire(State& group);
  void leave_if_over(Tag group);
  [[nodiscard]] Id known_id(const State& state, Rank rank) const;
  void run(State& state, const Message& message);
  void learn(State& state, const Message& message);
  void send(State& state, Rank to, std::span<const std::byte> data);

  Outbox outbox_;
  std::set<std::pair<Tag, std::uint32_t>> stalled_;  // operations that wait for room to send
  std::map<Tag, std::unique_ptr<State>> groups_;
  std::map<Tag, Making> makings_;
  std::map<Tag, TreeToBe> trees_to_be_;  // keyed by the name that the tree's group will have
  std::map<Tag, Made> made_;             // finished constructions that nobody has asked for yet
  std::map<Tag, std::vector<Message>> early_;  // messages of calls that were not made here yet
};

/// A collective under way.
class Ticket {
 public:
  Ticket() = default;
  Ticket(Process& process, Tag group, std::uint32_t sequence)
      : process_(&process), group_(group), sequence_(sequence) {}
  [[nodiscard]] Tag group() const { return group_; }
  [[nodiscard]] std::uint32_t sequence() const { return sequence_; }
  [[nodiscard]] bool test() const;
  /// @param progress called until it is done
  template <typename Progress>
  void wait(Progress progress) const {
    while (!test()) progress();
  }

 private:
  Process* process_ = nullptr;
  Tag group_ = 0;
  std::uint32_t sequence_ = 0;
};

}  // namespace espalier::group
