#include <algorithm>
#include <unordered_map>

#include "map/replay.hpp"
#include "profile/rounds.hpp"

namespace espalier::map {

using profile::Action;
using profile::ActionKind;

/// How many rounds of a loop are run: of outermost ones, and of those inside.
struct Caps {
  std::uint64_t outer = ~std::uint64_t{0};
  std::uint64_t inner = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t at(std::uint32_t depth) const { return depth == 0 ? outer : inner; }
};

class TraceCompiler {
 public:
  TraceCompiler(const profile::Profile& profile, ReadyTrace& trace)
      : profile_(profile), trace_(trace) {}

  /// Steps of all processes under these caps; saturates.
  [[nodiscard]] std::uint64_t count(const Caps& caps) const {
    std::uint64_t sum = 0;
    for (const profile::Process& p : profile_.processes) {
      sum = sat_add(sum, count(p.actions, 0, p.actions.size(), 0, caps));
    }
    return sum;
  }

  void compile(const Caps& caps) {
    trace_.steps_.clear();
    trace_.first_step_.clear();
    trace_.channels_.clear();
    channel_of_.clear();
    received_.clear();
    trace_.cut_ = false;
    for (Rank p = 0; p < profile_.size(); ++p) {
      trace_.first_step_.push_back(trace_.steps_.size());
      const std::vector<Action>& actions = profile_.processes[p].actions;
      append(p, actions, 0, actions.size(), 0, caps);
    }
    trace_.first_step_.push_back(trace_.steps_.size());
    trace_.messages_ = 0;
    for (ReadyTrace::TraceChannel& c : trace_.channels_) {
      c.first_message = trace_.messages_;
      trace_.messages_ += c.messages;
    }
  }

  /// As many receives as sends on every channel.
  [[nodiscard]] bool is_balanced() const {
    for (std::size_t c = 0; c < received_.size(); ++c) {
      if (received_[c] != trace_.channels_[c].messages) return false;
    }
    return true;
  }

 private:
  static std::uint64_t sat_add(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
  }
  static std::uint64_t sat_mul(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }

  std::uint64_t count(const std::vector<Action>& actions, std::size_t begin, std::size_t end,
                      std::uint32_t depth, const Caps& caps) const {
    std::uint64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Action& a = actions[i];
      if (a.kind == ActionKind::Loop) {
        const std::uint64_t body = count(actions, i + 1, i + 1 + a.body, depth + 1, caps);
        sum = sat_add(sum, sat_mul(std::min(a.times, caps.at(depth)), body));
        i += a.body;
      } else if (a.kind == ActionKind::Collective) {
        sum = sat_add(sum, profile::messages_at_most(
                               a.operation, profile_.communicators[a.communicator].size()));
      } else {
        sum = sat_add(sum, 1);
      }
    }
    return sum;
  }

  void append(Rank p, const std::vector<Action>& actions, std::size_t begin, std::size_t end,
              std::uint32_t depth, const Caps& caps) {
    for (std::size_t i = begin; i < end; ++i) {
      const Action& a = actions[i];
      switch (a.kind) {
        case ActionKind::Compute:
          trace_.steps_.push_back(
              {ReadyTrace::Kind::Compute, 0, static_cast<std::uint64_t>(a.takes.picoseconds)});
          break;
        case ActionKind::Send:
          message(p, true, a.peer, a.bytes);
          break;
        case ActionKind::Recv:
          message(p, false, a.peer, a.bytes);
          break;
        case ActionKind::Post:
          mark(p, ReadyTrace::Kind::Post, a.peer, a.bytes);
          break;
        case ActionKind::Sent:
          mark(p, ReadyTrace::Kind::Sent, a.peer, a.bytes);
          break;
        case ActionKind::Collective:
          append_collective(p, a);
          break;
        case ActionKind::Loop:
          append_loop(p, actions, i, depth, caps);
          i += a.body;
          break;
      }
    }
  }
  /// A send right before a receive is one exchange (MPI_Sendrecv); other sends block.
  void append_collective(Rank p, const Action& a) {
    bool sends = false;  // one is held back until it is known what follows
    Rank to = 0;
    std::uint64_t length = 0;
    const auto exchange = [&](Rank from, std::uint64_t bytes, bool receives) {
      if (receives && sends) mark(p, ReadyTrace::Kind::Post, from, bytes);
      if (sends) message(p, true, to, length);
      if (receives) message(p, false, from, bytes);
      if (sends) mark(p, ReadyTrace::Kind::Sent, to, length);
      sends = false;
    };
    profile::for_each_message(profile_, a, p, [&](bool is_send, Rank peer, std::uint64_t bytes) {
      if (!is_send) return exchange(peer, bytes, true);
      exchange(peer, 0, false);
      sends = true;
      to = peer;
      length = bytes;
    });
    exchange(0, 0, false);
  }
  void append_loop(Rank p, const std::vector<Action>& actions, std::size_t at, std::uint32_t depth,
                   const Caps& caps) {
    const Action& loop = actions[at];
    const std::uint64_t rounds = std::min(loop.times, std::max<std::uint64_t>(2, caps.at(depth)));
    const bool cuts = rounds < loop.times;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (cuts && round + 1 == rounds) {
        trace_.steps_.push_back({ReadyTrace::Kind::Snapshot, depth, 0});
      }
      append(p, actions, at + 1, at + 1 + loop.body, depth + 1, caps);
    }
    if (!cuts) return;
    trace_.steps_.push_back({ReadyTrace::Kind::Stretch, depth, loop.times - rounds});
    trace_.cut_ = true;
  }
  std::uint32_t channel(Rank from, Rank to) {
    const std::uint64_t key = (std::uint64_t{from} << 32) | to;
    const auto [it, is_new] =
        channel_of_.emplace(key, static_cast<std::uint32_t>(trace_.channels_.size()));
    if (is_new) {
      trace_.channels_.push_back({from, to, 0, 0});
      received_.push_back(0);
    }
    return it->second;
  }
  void message(Rank p, bool is_send, Rank peer, std::uint64_t bytes) {
    if (peer == p) return;
    const std::uint32_t c = is_send ? channel(p, peer) : channel(peer, p);
    ++(is_send ? trace_.channels_[c].messages : received_[c]);
    trace_.steps_.push_back({is_send ? ReadyTrace::Kind::Send : ReadyTrace::Kind::Recv, c, bytes});
  }
  /// Post or Sent, of long messages alone.
  void mark(Rank p, ReadyTrace::Kind kind, Rank peer, std::uint64_t bytes) {
    if (peer == p || bytes < trace_.eager_limit_.value) return;
    const bool is_post = kind == ReadyTrace::Kind::Post;
    trace_.steps_.push_back({kind, is_post ? channel(peer, p) : channel(p, peer), bytes});
  }

  const profile::Profile& profile_;
  ReadyTrace& trace_;
  std::unordered_map<std::uint64_t, std::uint32_t> channel_of_;  // never walked
  std::vector<std::uint64_t> received_;
};

ReadyTrace::ReadyTrace(const profile::Profile& profile, std::uint64_t most_steps, Bytes eager_limit)
    : eager_limit_(eager_limit) {
  TraceCompiler compiler(profile, *this);
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  constexpr std::uint64_t kTooLong =
      8'000'000;  // steps, some 64 bytes each while they are replayed
  // The outer loop is a program's time steps, all alike: cut it first and to least.
  const Caps all_caps[] = {{kAll, kAll}, {3, kAll}, {3, 64}, {3, 32}, {3, 16},
                           {3, 8},       {2, 8},    {2, 4},  {2, 2}};
  for (const Caps& caps : all_caps) {
    const std::uint64_t steps = compiler.count(caps);
    if (steps > most_steps && &caps != std::end(all_caps) - 1) continue;
    if (steps > kTooLong) break;
    compiler.compile(caps);
    if (!cut_ || compiler.is_balanced()) return;
    // Cutting parted sends from their receives: run all of it, or nothing.
    if (compiler.count({}) > kTooLong) break;
    compiler.compile({});
    return;
  }
  too_long_ = true;
  steps_.clear();
  channels_.clear();
  first_step_.assign(profile.size() + 1, 0);
  messages_ = 0;
}

}  // namespace espalier::map
