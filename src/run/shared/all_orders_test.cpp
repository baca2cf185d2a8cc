// Model checking: every order in which members may touch the segment, and every value that C++'s
// memory order lets a load see, for few members and calls.
//
// A member's calls are run from the start again and again; what its loads saw before is taken from
// a log, and then one more access to a flag is done. So a state is a value, and all states are
// visited. Data are not atomic: a vector clock for each word tells whether an access is ordered
// behind those before it. If one is not, or nobody can go on, the protocol is wrong.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <set>

#include "shared/member.hpp"

namespace espalier::shared {
namespace {

constexpr std::size_t kMost = 3;
using Clock = std::array<std::uint32_t, kMost>;

struct Stored {
  std::uint64_t value = 0;
  Clock before{};  // what is visible to who sees the value
};
struct Word {
  std::uint64_t value = 0;
  std::uint32_t writer = 0, written = 0;  // member and its time
  Clock read{};                           // when each member read it last
};
struct MemberState {
  std::vector<std::uint64_t> log;  // what its accesses saw
  Clock clock{};
  std::map<std::uint64_t, std::size_t> seen;  // how far it has seen the history of a flag
  bool is_done = false;
};
struct State {
  std::array<MemberState, kMost> members;
  std::map<std::uint64_t, std::vector<Stored>> flags;
  std::map<std::uint64_t, Word> words;
};

struct Paused {};   // one access was done
struct Blocked {};  // it cannot be done yet
struct Broken {
  std::string what;
};

/// The accesses of one member: those in its log again, then one more to a flag.
class Replay {
 public:
  Replay(State& state, std::uint32_t member, const std::byte* memory, bool sees_latest,
         std::uint64_t never_waits_for)
      : state_(&state),
        member_(member),
        memory_(memory),
        sees_latest_(sees_latest),
        never_waits_for_(never_waits_for) {}

  std::uint64_t load(const std::uint64_t* flag) {
    if (is_logged()) return next_logged();
    begin_flag();
    const std::uint64_t at = offset(flag);
    const auto& history = history_of(at);
    return log(see(at, sees_latest_ ? history.size() - 1 : least_visible(at)));
  }
  void store(std::uint64_t* flag, std::uint64_t value) {
    if (is_logged()) {
      static_cast<void>(next_logged());
      return;
    }
    begin_flag();
    auto& history = history_of(offset(flag));
    if (value <= history.back().value) throw Broken{"a flag that does not grow"};
    ++me().clock[member_];
    history.push_back({value, me().clock});
    me().seen[offset(flag)] = history.size() - 1;
    static_cast<void>(log(0));
  }
  void wait(const std::uint64_t* flag, std::uint64_t at_least) {
    if (is_logged()) {
      static_cast<void>(next_logged());
      return;
    }
    const std::uint64_t at = offset(flag);
    if (at == never_waits_for_) return;
    begin_flag();
    // The earliest store that ends the wait orders the least before what follows.
    const auto& history = history_of(at);
    std::size_t i = least_visible(at);
    while (i < history.size() && history[i].value < at_least) ++i;
    if (i == history.size()) throw Blocked{};
    static_cast<void>(log(see(at, i)));
  }
  void write(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, from + i, 8);
      if (!is_logged()) {
        set(offset(to + i), value);
        static_cast<void>(log(0));
      } else {
        static_cast<void>(next_logged());
      }
    }
  }
  void read(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; i += 8) {
      const std::uint64_t value = is_logged() ? next_logged() : log(take(offset(from + i)));
      std::memcpy(to + i, &value, 8);
    }
  }
  /// What is folded is real memory, so it is brought there first.
  void reads(const std::byte* from, std::uint64_t bytes) {
    read(const_cast<std::byte*>(from), from, bytes);
  }
  void writes(const std::byte* to, std::uint64_t bytes) { result_ = {to, bytes}; }
  /// The result that was folded into the segment.
  void take_result() {
    const auto [to, bytes] = std::exchange(result_, {nullptr, 0});
    if (to != nullptr) write(const_cast<std::byte*>(to), to, bytes);
  }

 private:
  MemberState& me() { return state_->members[member_]; }
  [[nodiscard]] bool is_logged() { return next_ < me().log.size() && !is_new_; }
  std::uint64_t next_logged() { return me().log[next_++]; }
  std::uint64_t log(std::uint64_t value) {
    is_new_ = true;
    me().log.push_back(value);
    return value;
  }
  void begin_flag() {
    if (has_done_flag_) throw Paused{};
    has_done_flag_ = true;
  }
  template <typename T>
  [[nodiscard]] std::uint64_t offset(const T* address) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(address) - memory_);
  }
  std::vector<Stored>& history_of(std::uint64_t at) {
    auto& history = state_->flags[at];
    if (history.empty()) history.push_back({});
    return history;
  }
  /// A load sees no store older than one that was seen, or that is ordered before the load.
  std::size_t least_visible(std::uint64_t at) {
    const auto& history = history_of(at);
    std::size_t least = me().seen[at];
    for (std::size_t i = least; i < history.size(); ++i) {
      bool is_before = true;
      for (std::size_t m = 0; m < kMost; ++m) is_before &= history[i].before[m] <= me().clock[m];
      if (is_before) least = i;
    }
    return least;
  }
  std::uint64_t see(std::uint64_t at, std::size_t i) {
    const Stored& stored = history_of(at)[i];
    me().seen[at] = i;
    for (std::size_t m = 0; m < kMost; ++m) {
      me().clock[m] = std::max(me().clock[m], stored.before[m]);
    }
    return stored.value;
  }
  void set(std::uint64_t at, std::uint64_t value) {
    Word& word = state_->words[at];
    if (word.written > me().clock[word.writer]) throw Broken{"written while another writes"};
    for (std::size_t m = 0; m < kMost; ++m) {
      if (m != member_ && word.read[m] > me().clock[m]) throw Broken{"written while others read"};
    }
    word.value = value;
    word.writer = member_;
    word.written = me().clock[member_] + 1;  // what the next store brings to others
  }
  std::uint64_t take(std::uint64_t at) {
    Word& word = state_->words[at];
    if (word.writer != member_ && word.written > me().clock[word.writer]) {
      throw Broken{"read while another writes"};
    }
    word.read[member_] = me().clock[member_] + 1;
    return word.value;
  }

  State* state_;
  std::uint32_t member_;
  const std::byte* memory_;
  bool sees_latest_;
  std::uint64_t never_waits_for_;
  std::size_t next_ = 0;
  bool is_new_ = false;
  bool has_done_flag_ = false;
  std::pair<const std::byte*, std::uint64_t> result_{nullptr, 0};
};

/// The access of a member, which others hold too.
struct ReplayAccess {
  Replay* replay;
  std::uint64_t load(const std::uint64_t* flag) const { return replay->load(flag); }
  void store(std::uint64_t* flag, std::uint64_t value) const {
    replay->take_result();
    replay->store(flag, value);
  }
  void wait(const std::uint64_t* flag, std::uint64_t least) const { replay->wait(flag, least); }
  void write(std::byte* to, const std::byte* from, std::uint64_t n) const {
    replay->write(to, from, n);
  }
  void read(std::byte* to, const std::byte* from, std::uint64_t n) const {
    replay->read(to, from, n);
  }
  void reads(const std::byte* from, std::uint64_t n) const { replay->reads(from, n); }
  void writes(const std::byte* to, std::uint64_t n) const { replay->writes(to, n); }
};

struct Numbers : Combine {
  void fold(std::span<const std::byte* const> inputs, std::byte* out,
            std::uint64_t bytes) const override {
    for (std::uint64_t i = 0; i < bytes; i += 8) {
      std::uint64_t sum = 0;
      for (const std::byte* input : inputs) {
        std::uint64_t value = 0;
        std::memcpy(&value, input + i, 8);
        sum = sum * 10 + value;
      }
      std::memcpy(out + i, &sum, 8);
    }
  }
};

/// Does the calls of a member; throws Broken if a result is wrong.
using Calls = std::function<void(Member<ReplayAccess>&, std::uint32_t rank)>;

struct Found {
  std::size_t states = 0;
  std::string broken;  // empty: nothing is
};

/// @param ignores_left members do not wait for others to leave a step: a protocol that is wrong
Found try_all_orders(const Geometry& geometry, const Calls& calls, bool ignores_left = false) {
  std::vector<std::uint64_t> memory(geometry.bytes() / 8);
  auto* const at = reinterpret_cast<std::byte*>(memory.data());
  Found found;
  std::set<std::vector<std::uint64_t>> visited;
  std::vector<State> open{State{}};
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    bool can_go_on = false, are_all_done = true;
    for (std::uint32_t m = 0; m < geometry.members; ++m) {
      if (state.members[m].is_done) continue;
      are_all_done = false;
      for (const bool sees_latest : {false, true}) {
        State next = state;
        Replay replay(next, m, at, sees_latest,
                      ignores_left ? geometry.left_at(1 - std::min(m, 1U)) : 0);
        Member member(at, geometry, m, ReplayAccess{&replay});
        try {
          calls(member, m);
          next.members[m].is_done = true;
        } catch (const Paused&) {
        } catch (const Blocked&) {
          continue;
        } catch (const Broken& broken) {
          found.broken = broken.what;
          return found;
        }
        can_go_on = true;
        std::vector<std::uint64_t> key;
        for (const MemberState& one : next.members) {
          key.push_back(one.log.size());
          key.insert(key.end(), one.log.begin(), one.log.end());
          key.push_back(one.is_done ? 1 : 0);
        }
        if (visited.insert(std::move(key)).second) open.push_back(std::move(next));
      }
    }
    if (!can_go_on && !are_all_done) {
      found.broken = "nobody can go on";
      return found;
    }
  }
  found.states = visited.size();
  return found;
}

template <std::size_t N>
std::byte* raw(std::array<std::uint64_t, N>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}
template <std::size_t N>
const std::byte* raw(const std::array<std::uint64_t, N>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}
void check(bool is_so, const char* what) {
  if (!is_so) throw Broken{what};
}

constexpr Geometry two_members() { return {2, 2, kLine, 1}; }
constexpr Geometry three_members() { return {3, 2, kLine, 1}; }
/// Data of 120 bytes lie in one of four cells, which are halves of two slots.
constexpr Geometry two_with_cells() { return {2, 2, 2 * kLine, 2}; }

void broadcasts(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t root, int count) {
  for (int i = 1; i <= count; ++i) {
    std::array<std::uint64_t, 1> data{rank == root ? static_cast<std::uint64_t>(i) : 0};
    check(member.broadcast(1, root, raw(data), 8), "signature");
    check(data[0] == static_cast<std::uint64_t>(i), "broadcast");
  }
}

TEST(AllOrders, OfBroadcastsThatUseSlotsAgain) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    broadcasts(member, rank, 0, 5);
    broadcasts(member, rank, 1, 2);
  });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

TEST(AllOrders, OfBroadcastsToTwo) {
  const auto found = try_all_orders(
      three_members(), [](auto& member, std::uint32_t rank) { broadcasts(member, rank, 1, 3); });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 100U);
}

/// Messages beside their flags, in cells and in slots: cells and slots are the same memory.
template <std::size_t N>
void broadcast_words(Member<ReplayAccess>& member, std::uint32_t rank, std::uint64_t first) {
  std::array<std::uint64_t, N> words{};
  for (std::size_t i = 0; rank == 0 && i < N; ++i) words[i] = first + i;
  check(member.broadcast(1, 0, raw(words), 8 * N), "signature");
  check(words.front() == first && words.back() == first + N - 1, "broadcast");
}

void broadcasts_of_all_lengths(Member<ReplayAccess>& member, std::uint32_t rank) {
  for (std::uint64_t i = 0; i < 2; ++i) {
    broadcast_words<15>(member, rank, 10 * i + 1);
    broadcast_words<32>(member, rank, 10 * i + 2);
    broadcast_words<32>(member, rank, 10 * i + 3);
    broadcast_words<15>(member, rank, 10 * i + 4);
    broadcast_words<1>(member, rank, 10 * i + 5);
  }
  for (std::uint64_t i = 0; i < 6; ++i) broadcast_words<15>(member, rank, 100 + i);
}

TEST(AllOrders, OfMessagesInCellsAndSlots) {
  const auto found = try_all_orders(two_with_cells(), broadcasts_of_all_lengths);
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

TEST(AllOrders, FindAMemberThatWritesSlotsOverCells) {
  const auto found = try_all_orders(two_with_cells(), broadcasts_of_all_lengths, true);
  EXPECT_NE(found.broken, "");
}

TEST(AllOrders, OfASegmentThatIsUsedAgain) {
  // The second pair of members begins where the first has ended, as another communicator does.
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    broadcasts(member, rank, 0, 3);
    Member<ReplayAccess> next = member.again(member.access());
    broadcasts(next, rank, 1, 3);
  });
  EXPECT_EQ(found.broken, "");
}

TEST(AllOrders, FindAMemberThatUsesSlotsTooEarly) {
  const auto found = try_all_orders(
      two_members(), [](auto& member, std::uint32_t rank) { broadcasts(member, rank, 0, 5); },
      true);
  EXPECT_NE(found.broken, "");
}

TEST(AllOrders, FindCallsThatDoNotMatch) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    if (rank == 0) return;
    broadcasts(member, rank, 0, 1);
  });
  EXPECT_EQ(found.broken, "nobody can go on");
}

TEST(AllOrders, OfBarriersAndAllreduces) {
  for (const Geometry& geometry : {two_members(), three_members()}) {
    const auto found = try_all_orders(geometry, [&](auto& member, std::uint32_t rank) {
      const int rounds = geometry.members == 2 ? 3 : 1;
      for (int i = 0; i < rounds; ++i) {
        std::array<std::uint64_t, 1> data{rank + 1};
        check(member.allreduce(1, raw(data), raw(data), 8, 8, Numbers()), "signature");
        check(data[0] == (geometry.members == 2 ? 12U : 123U), "allreduce");
        check(member.barrier(2), "signature");
      }
    });
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 50U);
  }
}

/// Pieces of 120 bytes lie in slots and are reduced in slices, as those of 4 KiB and more are.
constexpr Geometry three_with_slices() { return {3, 2, kLine, 1, kLine - 8}; }
using Words = std::array<std::uint64_t, kLine / 8 - 1>;

/// Behind a reduction one member alone writes, twice: over its input, and over its slice of the
/// result. Others may still be reading them.
void write_twice(Member<ReplayAccess>& member, std::uint32_t rank, std::uint32_t root) {
  for (std::uint64_t i = 1; i <= 2; ++i) {
    Words data{};
    if (rank == root) data.fill(i);
    check(member.broadcast(2, root, raw(data), sizeof data), "signature");
    check(data.front() == i && data.back() == i, "broadcast");
  }
}

void allreduce_in_slices(Member<ReplayAccess>& member, std::uint32_t rank) {
  Words data{};
  data.fill(rank + 1);
  check(member.is_sliced(sizeof data), "slices");
  check(member.allreduce(1, raw(data), raw(data), sizeof data, 8, Numbers()), "signature");
  for (const std::uint64_t value : data) check(value == 123, "allreduce");
  write_twice(member, rank, 0);
}

void reduce_in_slices(Member<ReplayAccess>& member, std::uint32_t rank) {
  Words data{}, result{};
  data.fill(rank + 1);
  check(member.reduce(1, 0, raw(data), raw(result), sizeof data, 8, Numbers()), "signature");
  for (const std::uint64_t value : result) check(value == (rank == 0 ? 123U : 0U), "reduce");
  write_twice(member, rank, 1);
}

TEST(AllOrders, OfReductionsInSlices) {
  for (const auto& calls : {allreduce_in_slices, reduce_in_slices}) {
    const auto found = try_all_orders(three_with_slices(), calls);
    EXPECT_EQ(found.broken, "");
    EXPECT_GT(found.states, 100U);
  }
}

TEST(AllOrders, FindAMemberThatWritesOverSlicesTooEarly) {
  for (const auto& calls : {allreduce_in_slices, reduce_in_slices}) {
    EXPECT_NE(try_all_orders(three_with_slices(), calls, true).broken, "");
  }
}

TEST(AllOrders, OfGatherAndScatterAndAlltoall) {
  const auto found = try_all_orders(two_members(), [](auto& member, std::uint32_t rank) {
    std::array<std::uint64_t, 1> own{rank + 5};
    std::array<std::uint64_t, 2> all{};
    for (int i = 0; i < 3; ++i) {
      check(member.gather(1, 0, raw(own), raw(all), 8), "signature");
      check(rank != 0 || (all[0] == 5 && all[1] == 6), "gather");
    }
    std::array<std::uint64_t, 1> back{};
    check(member.scatter(1, 0, raw(all), raw(back), 8), "signature");
    check(back[0] == rank + 5, "scatter");
    const std::array<std::uint64_t, 2> sent{rank, rank + 10};
    check(member.alltoall(1, raw(sent), raw(all), 8), "signature");
    check(all[0] == rank * 10 && all[1] == rank * 10 + 1, "alltoall");
  });
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 50U);
}

}  // namespace
}  // namespace espalier::shared
