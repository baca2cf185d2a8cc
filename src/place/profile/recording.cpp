#include "profile/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profile/rounds.hpp"

namespace espalier::profile {
namespace {

/// The words of a packed recording, read one after the other; nothing is read beyond its end.
class WordReader {
 public:
  explicit WordReader(std::span<const std::uint64_t> words) : words_(words) {}
  std::uint64_t next() {
    if (at_ < words_.size()) return words_[at_++];
    is_short_ = true;
    return 0;
  }
  /// A length, of items of at least `each` words: never more than there are.
  std::size_t length(std::size_t each) {
    const std::uint64_t n = next();
    if (n <= (words_.size() - at_) / each) return static_cast<std::size_t>(n);
    is_short_ = true;
    return 0;
  }
  [[nodiscard]] bool is_whole() const { return !is_short_ && at_ == words_.size(); }

 private:
  std::span<const std::uint64_t> words_;
  std::size_t at_ = 0;
  bool is_short_ = false;
};

constexpr std::size_t kWordsOfAction = 8;

void pack(const Action& a, std::vector<std::uint64_t>& out) {
  out.insert(out.end(), {static_cast<std::uint64_t>(a.kind),
                         static_cast<std::uint64_t>(a.operation), a.peer, a.communicator, a.body,
                         a.bytes, a.times, static_cast<std::uint64_t>(a.takes.picoseconds)});
}

Action next_action(WordReader& in) {
  Action a;
  a.kind = static_cast<ActionKind>(in.next());
  a.operation = static_cast<schedule::Operation>(in.next());
  a.peer = static_cast<Rank>(in.next());
  a.communicator = static_cast<std::uint32_t>(in.next());
  a.body = static_cast<std::uint32_t>(in.next());
  a.bytes = in.next();
  a.times = in.next();
  a.takes.picoseconds = static_cast<std::int64_t>(in.next());
  return a;
}

std::uint32_t number_of(std::vector<std::vector<Rank>>& communicators,
                        const std::vector<Rank>& members) {
  const auto at = std::find(communicators.begin(), communicators.end(), members);
  if (at != communicators.end()) return static_cast<std::uint32_t>(at - communicators.begin());
  communicators.push_back(members);
  return static_cast<std::uint32_t>(communicators.size() - 1);
}

}  // namespace

Recording::Recording(Rank me, Rank size, std::size_t most_items)
    : me_(me),
      most_items_(most_items),
      shape_(silent_profile("", size)),
      called_(size),
      executed_(size) {}

void Recording::add(Action action) {
  if (is_cut_) return;
  action.takes = before_;
  before_ = Time{};
  folder_.add(action);
  if (folder_.size() > most_items_) cut();
}

void Recording::cut() {
  if (is_cut_) return;
  is_cut_ = true;
  shape_.processes[me_].actions = folder_.finish();
  folder_ = Folder{kWindow};
  // Collectives of a trace are counted when all are joined; those of this one are counted now.
  count_pairs(shape_);
  shape_.processes[me_].actions = {};
  for (const Pair& pair : shape_.executed) {
    executed_[pair.to].messages += pair.messages;
    executed_[pair.to].bytes += pair.bytes;
  }
}

void Recording::add_message(ActionKind kind, Rank peer, std::uint64_t bytes) {
  Action a;
  a.kind = kind;
  a.peer = peer;
  a.bytes = bytes;
  add(a);
}

void Recording::send(Rank to, std::uint64_t bytes, bool in_collective) {
  Sum& sum = in_collective ? executed_[to] : called_[to];
  ++sum.messages;
  sum.bytes += bytes;
  add_message(ActionKind::Send, to, bytes);
}

void Recording::recv(Rank from, std::uint64_t bytes) { add_message(ActionKind::Recv, from, bytes); }
void Recording::post(Rank from, std::uint64_t room) {
  if (room >= kMarkedBytes) add_message(ActionKind::Post, from, room);
}
void Recording::sent(Rank to, std::uint64_t bytes) {
  if (bytes >= kMarkedBytes) add_message(ActionKind::Sent, to, bytes);
}

void Recording::collective(schedule::Operation operation, std::uint64_t bytes, Rank root,
                           std::uint32_t communicator) {
  Action a;
  a.kind = ActionKind::Collective;
  a.operation = operation;
  a.peer = root;
  a.communicator = communicator;
  a.bytes = bytes;
  if (!is_cut_) return add(a);
  for_each_message(shape_, a, me_, [this](bool is_send, Rank peer, std::uint64_t length) {
    if (!is_send) return;
    ++executed_[peer].messages;
    executed_[peer].bytes += length;
  });
}

std::uint32_t Recording::communicator(const std::vector<Rank>& members) {
  return number_of(shape_.communicators, members);
}

std::vector<std::uint64_t> Recording::pack() const {
  std::vector<std::uint64_t> out{is_cut_ ? 1U : 0U, left_out_};
  for (const Time time : {ran_, in_mpi_, in_collectives_}) {
    out.push_back(static_cast<std::uint64_t>(time.picoseconds));
  }
  out.push_back(shape_.communicators.size() - 1);  // all have the world
  for (std::size_t c = 1; c < shape_.communicators.size(); ++c) {
    out.push_back(shape_.communicators[c].size());
    out.insert(out.end(), shape_.communicators[c].begin(), shape_.communicators[c].end());
  }
  for (const std::vector<Sum>* sums : {&called_, &executed_}) {
    out.push_back(static_cast<std::uint64_t>(
        std::count_if(sums->begin(), sums->end(), [](const Sum& s) { return s.messages != 0; })));
    for (std::size_t to = 0; to < sums->size(); ++to) {
      const Sum& s = (*sums)[to];
      if (s.messages != 0) out.insert(out.end(), {to, s.messages, s.bytes});
    }
  }
  std::vector<Action> actions = folder_.finish();
  if (before_ > Time{} && !is_cut_) {
    actions.emplace_back();
    actions.back().takes = before_;
  }
  out.push_back(actions.size());
  for (const Action& a : actions) profile::pack(a, out);
  return out;
}

Expected<Joined> join(std::string name, std::span<const std::vector<std::uint64_t>> packed) {
  Joined result;
  Profile& profile = result.profile;
  profile = silent_profile(std::move(name), static_cast<Rank>(packed.size()));
  std::vector<Pair> called, executed;
  for (Rank rank = 0; rank < packed.size(); ++rank) {
    WordReader in(packed[rank]);
    result.cut_traces += in.next();
    result.left_out += in.next();
    Process& process = profile.processes[rank];
    for (Time* const time : {&process.ran, &process.in_mpi, &process.in_collectives}) {
      time->picoseconds = static_cast<std::int64_t>(in.next());
    }
    std::vector<std::uint32_t> numbers{0};
    for (std::size_t left = in.length(1); left > 0; --left) {
      std::vector<Rank> members(in.length(1));
      for (Rank& member : members) member = static_cast<Rank>(in.next());
      numbers.push_back(number_of(profile.communicators, members));
    }
    for (std::vector<Pair>* pairs : {&called, &executed}) {
      for (std::size_t left = in.length(3); left > 0; --left) {
        const auto to = static_cast<Rank>(in.next());
        const std::uint64_t messages = in.next();
        pairs->push_back({rank, to, messages, in.next()});
      }
    }
    bool fits = true;
    for (std::size_t left = in.length(kWordsOfAction); left > 0; --left) {
      Action a = next_action(in);
      fits = fits && a.communicator < numbers.size() && a.peer < packed.size();
      if (fits) a.communicator = numbers[a.communicator];
      process.actions.push_back(a);
    }
    if (!fits || !in.is_whole()) {
      return Error{"espalier", fmt::format("the recording of process {} came in pieces", rank),
                   "this is a bug in espalier; please report it"};
    }
  }
  count_pairs(profile);  // collectives of the traces
  executed.insert(executed.end(), profile.executed.begin(), profile.executed.end());
  profile.pairs = merged(std::move(called));
  profile.executed = merged(std::move(executed));
  if (profile.is_executed_left_out) profile.executed = {};
  if (result.cut_traces == 0) return result;
  for (Process& process : profile.processes) process.actions.clear();
  return result;
}

}  // namespace espalier::profile
