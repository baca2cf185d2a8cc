#pragma once

// Model checking: every order in which members may touch the segment, and every value that C++'s
// memory order lets a load see, for few members and calls.
//
// A member's calls are run from the start again and again; what its loads saw before is taken from
// a log, and then one more access to a flag is done. So a state is a value, and all states are
// visited. Data are not atomic: a vector clock for each word tells whether an access is ordered
// behind those before it. If one is not, or nobody can go on, the protocol is wrong.
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared/member.hpp"

namespace espalier::shared::orders {

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

/// What members have outside the segment. Each one's is brought back by its own calls; what others
/// read of it is in State::words.
inline std::array<std::array<std::uint64_t, 64>, kMost> outside;
/// Which member may not read whose memory; nobody: kMost.
struct Refusal {
  std::uint32_t reader = kMost, writer = kMost;
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
         std::uint64_t never_waits_for, const Refusal& refusal)
      : state_(&state),
        member_(member),
        memory_(memory),
        sees_latest_(sees_latest),
        never_waits_for_(never_waits_for),
        refusal_(refusal) {
    outside[member].fill(0);
  }

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
    for (std::uint64_t i = 0; i < bytes; i += 8) read_word(to + i, offset(from + i));
  }
  PeerRead read_peer(std::uint32_t writer, std::byte* to, std::uint64_t from, std::uint64_t bytes) {
    if (refusal_.reader == member_ && refusal_.writer == writer) return PeerRead::Refused;
    for (std::uint64_t i = 0; i < bytes; i += 8) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): it is one
      read_word(to + i, offset_outside(writer, reinterpret_cast<const std::byte*>(from + i)));
    }
    return PeerRead::Done;
  }
  /// The program writes a word of what it has outside the segment.
  void write_outside(std::uint64_t* to, std::uint64_t value) {
    *to = value;
    if (is_logged()) {
      static_cast<void>(next_logged());
      return;
    }
    set(offset_outside(member_, reinterpret_cast<const std::byte*>(to)), value);
    static_cast<void>(log(0));
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
  /// Words outside are numbered behind those of the segment.
  [[nodiscard]] static std::uint64_t offset_outside(std::uint32_t member, const std::byte* at) {
    const auto* const begin = reinterpret_cast<const std::byte*>(outside[member].data());
    return (member + 1) * (std::uint64_t{1} << 32U) + static_cast<std::uint64_t>(at - begin);
  }
  void read_word(std::byte* to, std::uint64_t from) {
    const auto* const begin = reinterpret_cast<const std::byte*>(outside[member_].data());
    const bool is_outside = to >= begin && to < begin + sizeof outside[member_];
    std::uint64_t value = 0;
    if (is_logged()) {
      value = next_logged();
    } else {
      value = take(from);
      if (is_outside) set(offset_outside(member_, to), value);
      static_cast<void>(log(value));
    }
    std::memcpy(to, &value, 8);
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
  Refusal refusal_;
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
  [[nodiscard]] PeerRead read_peer(std::uint32_t member, std::byte* to, std::uint64_t from,
                                   std::uint64_t n) const {
    return replay->read_peer(member, to, from, n);
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
inline Found try_all_orders(const Geometry& geometry, const Calls& calls, bool ignores_left = false,
                            const Refusal& refusal = {}) {
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
                      ignores_left ? geometry.left_at(1 - std::min(m, 1U)) : 0, refusal);
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
inline void check(bool is_so, const char* what) {
  if (!is_so) throw Broken{what};
}

constexpr Geometry two_members() { return {2, 2, kLine, 1}; }
constexpr Geometry three_members() { return {3, 2, kLine, 1}; }
/// Data of 120 bytes lie in one of four cells, which are halves of two slots.
constexpr Geometry two_with_cells() { return {2, 2, 2 * kLine, 2}; }

}  // namespace espalier::shared::orders
