#include "profile/profile.hpp"

#include <algorithm>
#include <numeric>

#include "profile/rounds.hpp"

namespace espalier::profile {
namespace {

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}
std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

/// Adds what one process sends, `times` over.
void count_actions(const Profile& profile, Rank rank, std::uint32_t begin, std::uint32_t end,
                   std::uint64_t times, std::vector<Pair>& called, std::vector<Pair>& executed) {
  const std::vector<Action>& actions = profile.processes[rank].actions;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Action& action = actions[i];
    switch (action.kind) {
      case ActionKind::Send:
        called.push_back({rank, action.peer, times, saturated_product(times, action.bytes)});
        break;
      case ActionKind::Collective:
        if (profile.is_executed_left_out) break;
        for_each_message(profile, action, rank, [&](bool is_send, Rank peer, std::uint64_t bytes) {
          if (is_send) executed.push_back({rank, peer, times, saturated_product(times, bytes)});
        });
        break;
      case ActionKind::Loop:
        count_actions(profile, rank, i + 1, i + 1 + action.body,
                      saturated_product(times, action.times), called, executed);
        i += action.body;
        break;
      case ActionKind::Compute:
      case ActionKind::Recv:
      case ActionKind::Post:
      case ActionKind::Sent:
        break;
    }
  }
}

std::uint64_t median_messages(const std::vector<Pair>& pairs) {
  std::vector<std::uint64_t> counts;
  for (const Pair& pair : pairs) counts.push_back(pair.messages);
  if (counts.empty()) return 1;
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2),
                   counts.end());
  return std::max<std::uint64_t>(1, counts[counts.size() / 2]);
}

}  // namespace

bool Profile::has_trace() const {
  return std::any_of(processes.begin(), processes.end(),
                     [](const Process& p) { return !p.actions.empty(); });
}

Profile silent_profile(std::string name, Rank size) {
  Profile profile;
  profile.name = std::move(name);
  profile.processes.resize(size);
  profile.communicators.emplace_back(size);
  std::iota(profile.communicators[0].begin(), profile.communicators[0].end(), Rank{0});
  return profile;
}

std::vector<Pair> merged(std::vector<Pair> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  std::vector<Pair> result;
  for (const Pair& pair : pairs) {
    if (pair.messages == 0 && pair.bytes == 0) continue;
    if (!result.empty() && result.back().from == pair.from && result.back().to == pair.to) {
      result.back().messages = saturated_sum(result.back().messages, pair.messages);
      result.back().bytes = saturated_sum(result.back().bytes, pair.bytes);
    } else {
      result.push_back(pair);
    }
  }
  return result;
}

std::vector<Pair> all_pairs(const Profile& profile) {
  std::vector<Pair> pairs = profile.pairs;
  pairs.insert(pairs.end(), profile.executed.begin(), profile.executed.end());
  return merged(std::move(pairs));
}

void count_pairs(Profile& profile) {
  profile.pairs.clear();
  profile.executed.clear();
  profile.is_executed_left_out = false;
  for (Rank rank = 0; rank < profile.size(); ++rank) {
    std::vector<Pair> called;
    std::vector<Pair> executed;
    count_actions(profile, rank, 0,
                  static_cast<std::uint32_t>(profile.processes[rank].actions.size()), 1, called,
                  executed);
    called = merged(std::move(called));
    executed = merged(std::move(executed));
    profile.pairs.insert(profile.pairs.end(), called.begin(), called.end());
    profile.executed.insert(profile.executed.end(), executed.begin(), executed.end());
    if (profile.executed.size() > kMostPairs) {
      profile.executed = {};
      profile.is_executed_left_out = true;
    }
  }
}

void guess_trace(Profile& profile) {
  const std::vector<Pair> pairs = all_pairs(profile);
  const std::uint64_t rounds = median_messages(pairs);
  const auto part = [rounds](const Pair& pair) { return (pair.bytes + rounds - 1) / rounds; };
  for (Process& process : profile.processes) process.actions.assign(1, {});
  for (const Pair& pair : pairs) {
    if (pair.from == pair.to) continue;
    Action send;
    send.kind = ActionKind::Send;
    send.peer = pair.to;
    send.bytes = part(pair);
    profile.processes[pair.from].actions.push_back(send);
  }
  for (const Pair& pair : pairs) {
    if (pair.from == pair.to) continue;
    Action recv;
    recv.kind = ActionKind::Recv;
    recv.peer = pair.from;
    recv.bytes = part(pair);
    profile.processes[pair.to].actions.push_back(recv);
  }
  for (Process& process : profile.processes) {
    Action& loop = process.actions[0];
    loop.kind = ActionKind::Loop;
    loop.times = rounds;
    loop.body = static_cast<std::uint32_t>(process.actions.size() - 1);
    if (loop.body == 0) process.actions.clear();
  }
}

}  // namespace espalier::profile
