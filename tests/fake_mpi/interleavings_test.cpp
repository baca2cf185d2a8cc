// Two and three calls on one communicator of a fake MPI, some of which block: every order of
// starts, steps and arrivals.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <unordered_set>

#include "fake_mpi/fake_calls.hpp"
#include "fake_mpi/fake_mpi.hpp"
#include "fake_mpi/fake_roles.hpp"
#include "mpi/pending_calls.hpp"
#include "select/candidates.hpp"
#include "topology/readers.hpp"

namespace espalier::fake {
namespace {

using schedule::Operation;

/// How a call runs. All but the first block, and their trees only the root knows.
enum class Kind : std::uint8_t {
  Starts,
  Scatterv,      ///< data travel with heads
  LongScatterv,  ///< data follow heads
  Announced      ///< a gather, with a tree that is told
};
struct Asked {
  Operation operation;
  Rank root = 0;
  Kind kind = Kind::Starts;
};

/// A call whose buffers are made.
struct OneCall {
  std::unique_ptr<AnyCall> call;
  FakeCall* starts = nullptr;  ///< the same, if it does not block
};

/// A call and the programs of all ranks, made once: each order needs buffers of its own.
struct MadeCall {
  MadeCall(const collective::Hierarchy& hierarchy, const Asked& asked, std::size_t which)
      : kind(asked.kind) {
    call.operation = asked.operation;
    call.size = hierarchy.machine().size();
    call.root = asked.root;
    call.count = asked.operation == Operation::Barrier ? 0 : 1;
    call.element = Bytes{8};
    const auto all = select::candidates(hierarchy, call);
    const auto& plan = all[which % all.size()];
    for (Rank r = 0; r < call.size; ++r) programs.push_back(plan.program_of(r));
    name = std::string(schedule::name_of(call.operation)) + " " + plan.name;
    if (kind == Kind::Announced) name += ", announced";
    if (kind == Kind::Scatterv) name = "scatterv";
    if (kind == Kind::LongScatterv) name = "long scatterv";
  }
  [[nodiscard]] OneCall with_buffers(Random& rng) const {
    constexpr std::uint64_t kLong = mpi::kInlineBytes / 8 + 1;
    if (kind == Kind::Scatterv || kind == Kind::LongScatterv) {
      const std::vector<std::uint64_t> numbers(call.size, kind == Kind::Scatterv ? 1 : kLong);
      return {std::make_unique<FakeScatterv>(call.root, numbers, rng)};
    }
    auto along = std::make_unique<FakeCall>(call, programs, rng);
    if (kind == Kind::Announced) {
      return {std::make_unique<AnnouncedGather>(std::move(*along), rng)};
    }
    FakeCall* const starts = along.get();
    return {std::move(along), starts};
  }
  Kind kind;
  schedule::Collective call;
  std::vector<schedule::Program> programs;
  std::string name;
};

/// Which event was taken at each fork. Goes through all of them, depth first, and no further from
/// a state that was there before.
class Forks {
 public:
  void begin() { at_ = 0; }
  /// Whether this state is reached for the first time, or on the way to such a one.
  bool is_new(const std::string& state) { return at_ < path_.size() || seen_.insert(state).second; }
  /// @param count events to choose from
  std::size_t take(std::size_t count) {
    if (at_ == path_.size()) path_.push_back({0, count});
    return path_[at_++].taken;
  }
  /// Turns to the next order. @return whether there is one
  bool next() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

 private:
  struct Fork {
    std::size_t taken;
    std::size_t count;
  };
  std::vector<Fork> path_;
  std::size_t at_ = 0;
  std::unordered_set<std::string> seen_;
};

/// One order of events from the first start to the last end. A rank is stepped only after something
/// happened to it: other steps change nothing. What a rank has seen, in which order, tells its
/// state; what all have seen tells the state of all, since messages between two ranks stay in
/// order.
class Order {
 public:
  Order(const std::vector<MadeCall>& made, const mpi::ChannelOptions& options, std::size_t eager)
      : size_(made.front().call.size),
        world_(static_cast<int>(size_), eager),
        shakes_hands_(eager == 0),
        ranks_(size_) {
    Random rng(7);
    for (const MadeCall& one : made) calls_.push_back(one.with_buffers(rng));
    for (Rank r = 0; r < size_; ++r) {
      ranks_[r].channel =
          std::make_unique<mpi::Channel>(MPI_COMM_WORLD, static_cast<int>(r),
                                         static_cast<int>(size_), runtime::Tags(32767), options);
      ranks_[r].pending = std::make_unique<mpi::PendingCalls>(*ranks_[r].channel);
    }
  }

  /// @return what went wrong; empty: nothing, or the rest was tried before
  std::string run(Forks& forks) {
    while (!is_over()) {
      if (!forks.is_new(state())) return {};
      const auto wires = world_.on_the_wire();
      std::vector<Rank> starting, stepping;
      for (Rank r = 0; r < size_; ++r) {
        if (ranks_[r].may_start(calls_.size())) starting.push_back(r);
        if (ranks_[r].is_touched) stepping.push_back(r);
      }
      const std::size_t events = wires.size() + starting.size() + stepping.size();
      if (events == 0) return "it hangs";
      std::size_t taken = forks.take(events);
      if (taken < wires.size()) {
        deliver(wires[taken]);
      } else if ((taken -= wires.size()) < starting.size()) {
        start(starting[taken]);
      } else {
        step(stepping[taken - starting.size()]);
      }
    }
    return wrong();
  }

 private:
  struct OneRank {
    std::unique_ptr<mpi::Channel> channel;
    std::unique_ptr<mpi::PendingCalls> pending;
    std::unique_ptr<RankRun> blocking;  // the call that the rank is in, if it blocks
    std::size_t started = 0;
    std::size_t ended = 0;
    int code = MPI_SUCCESS;
    bool is_touched = false;
    std::string seen;

    [[nodiscard]] bool may_start(std::size_t calls) const {
      return started < calls && blocking == nullptr;
    }
    void end(int with) {
      ++ended;
      if (with != MPI_SUCCESS) code = with;
    }
  };

  void note(OneRank& rank, char event, int of) {
    rank.seen += event;
    rank.seen += static_cast<char>('0' + of);
    rank.is_touched = true;
  }
  [[nodiscard]] std::string state() const {
    std::string all;
    for (const OneRank& one : ranks_) all += one.seen + (one.is_touched ? "!" : "|");
    return all;
  }
  void deliver(const std::pair<int, int>& wire) {
    world_.deliver(wire.first, wire.second);
    note(ranks_[static_cast<std::size_t>(wire.second)], 'd', wire.first);
    if (shakes_hands_) note(ranks_[static_cast<std::size_t>(wire.first)], 'h', wire.second);
  }
  void start(Rank rank) {
    world_.me = static_cast<int>(rank);
    OneRank& one = ranks_[rank];
    const OneCall& next = calls_[one.started++];
    if (next.starts != nullptr) {
      auto call = next.starts->pending(*one.channel);
      call->ended = [&one](int code) { one.end(code); };
      one.pending->start(std::move(call));
    } else {
      one.blocking = next.call->begin(*one.channel);
    }
    note(one, 's', 0);
  }
  /// @return whether something happened
  static bool step_blocking(OneRank& one) {
    if (one.blocking == nullptr) return false;
    const bool has_moved = one.blocking->step();
    if (!one.blocking->is_done()) return has_moved;
    one.end(one.blocking->code());
    one.blocking.reset();
    return true;
  }
  void step(Rank rank) {
    world_.me = static_cast<int>(rank);
    OneRank& one = ranks_[rank];
    one.is_touched = false;
    const bool has_moved = one.pending->step(100);
    if (!step_blocking(one) && !has_moved) return;
    // A receive that is posted late completes what its sender waits for.
    for (Rank r = 0; r < size_; ++r) {
      if (r == rank || shakes_hands_) note(ranks_[r], 't', static_cast<int>(rank));
    }
  }
  [[nodiscard]] bool is_over() const {
    for (const OneRank& one : ranks_) {
      if (one.ended < calls_.size()) return false;
    }
    return world_.on_the_wire().empty();
  }
  [[nodiscard]] std::string wrong() const {
    if (world_.unexpected() + world_.posted() != 0) return "messages are left";
    for (Rank r = 0; r < size_; ++r) {
      if (ranks_[r].code != MPI_SUCCESS) return "an error";
      if (!ranks_[r].pending->is_idle()) return "a call is left";
      for (const OneCall& one : calls_) {
        if (const std::string text = one.call->wrong(r); !text.empty()) return text;
      }
    }
    return {};
  }

  Rank size_;
  World world_;
  bool shakes_hands_;
  std::vector<OneCall> calls_;
  std::vector<OneRank> ranks_;
};

/// Runs calls in every order of events. @return whether all are right and no order was left out
/// @param eager longest message without a handshake
testing::AssertionResult explore(const std::vector<MadeCall>& made, std::size_t eager) {
  constexpr std::uint64_t kMost = 300'000;
  mpi::ChannelOptions options;
  options.synchronous_after = eager == 0 ? 0 : 1U << 20U;
  Forks forks;
  std::string wrong;
  std::uint64_t orders = 0;
  do {
    forks.begin();
    wrong = ++orders > kMost ? "there are more" : Order(made, options, eager).run(forks);
  } while (wrong.empty() && forks.next());
  if (wrong.empty()) return testing::AssertionSuccess();
  std::string names;
  for (const MadeCall& one : made) names += " [" + one.name + "]";
  return testing::AssertionFailure() << wrong << ", order " << orders << " of" << names;
}

constexpr Asked kBroadcast{Operation::Broadcast, 0};
constexpr Asked kBroadcastBack{Operation::Broadcast, 1};
constexpr Asked kReduce{Operation::Reduce, 0};
constexpr Asked kBarrier{Operation::Barrier};
constexpr Asked kAllreduce{Operation::Allreduce};
constexpr Asked kScatterv{Operation::Scatter, 0, Kind::Scatterv};
constexpr Asked kScattervBack{Operation::Scatter, 1, Kind::Scatterv};
constexpr Asked kLongScatterv{Operation::Scatter, 0, Kind::LongScatterv};
constexpr Asked kAnnounced{Operation::Gather, 0, Kind::Announced};
constexpr Asked kAnnouncedBack{Operation::Gather, 1, Kind::Announced};
/// No message needs a handshake.
constexpr std::size_t kAllEager = 1U << 20U;

std::vector<MadeCall> made_of(const char* machine, const std::vector<Asked>& asked) {
  const topology::Machine parsed = *topology::parse_synthetic(machine);
  const collective::Hierarchy hierarchy(parsed);
  std::vector<MadeCall> made;
  for (const Asked& one : asked) made.emplace_back(hierarchy, one, made.size());
  return made;
}

constexpr const char* kTwoRanks = "node:2(1us) proc:1(1us)";
constexpr const char* kThreeRanks = "node:2(1us) proc:1|2(1us)";

TEST(Interleavings, EveryOrderOfTwoCallsOnTwoRanksEndsRight) {
  const std::array kinds{kBroadcast, kBroadcastBack, kReduce, kBarrier, kAllreduce};
  for (const Asked& first : kinds) {
    for (const Asked& second : kinds) EXPECT_TRUE(explore(made_of(kTwoRanks, {first, second}), 64));
  }
}

/// Messages leave their sender only when their receiver asks for them.
TEST(Interleavings, EveryOrderOfTwoCallsWithHandshakesEndsRight) {
  for (const Asked& first : {kBroadcast, kBroadcastBack, kReduce}) {
    for (const Asked& second : {kBroadcast, kBroadcastBack, kBarrier}) {
      EXPECT_TRUE(explore(made_of(kTwoRanks, {first, second}), 0));
    }
  }
}

TEST(Interleavings, EveryOrderOfThreeCallsOnTwoRanksEndsRight) {
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kBroadcast, kBroadcastBack, kBroadcast}), 64));
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kBroadcast, kBroadcast, kBroadcast}), 64));
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kReduce, kBroadcast, kReduce}), 64));
}

/// Trees that only the root knows, beside each other and beside calls that do not block.
TEST(Interleavings, EveryOrderOfACallWithRolesAndAnotherOnTwoRanksEndsRight) {
  for (const std::size_t eager : {kAllEager, std::size_t{0}}) {
    for (const Asked& roles : {kScatterv, kLongScatterv, kAnnounced}) {
      for (const Asked& other : {kBroadcast, kBroadcastBack, kScattervBack, kAnnouncedBack}) {
        EXPECT_TRUE(explore(made_of(kTwoRanks, {roles, other}), eager));
        EXPECT_TRUE(explore(made_of(kTwoRanks, {other, roles}), eager));
      }
    }
  }
}

TEST(Interleavings, EveryOrderOfThreeCallsSomeWithRolesOnTwoRanksEndsRight) {
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kBroadcast, kAnnounced, kScatterv}), kAllEager));
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kBroadcast, kScatterv, kBroadcastBack}), kAllEager));
  EXPECT_TRUE(explore(made_of(kTwoRanks, {kScatterv, kScatterv, kLongScatterv}), kAllEager));
}

TEST(Interleavings, EveryOrderOfCallsWithRolesOnThreeRanksEndsRight) {
  EXPECT_TRUE(explore(made_of(kThreeRanks, {kScatterv, kScatterv}), kAllEager));
  EXPECT_TRUE(explore(made_of(kThreeRanks, {kLongScatterv}), kAllEager));
  EXPECT_TRUE(explore(made_of(kThreeRanks, {kAnnounced}), kAllEager));
}

TEST(Interleavings, EveryOrderOfTwoCallsOnThreeRanksEndsRight) {
  EXPECT_TRUE(explore(made_of(kThreeRanks, {kBroadcast, kBroadcast}), 64));
}

}  // namespace
}  // namespace espalier::fake
