// The logs of all processes become one trace.
#include <algorithm>
#include <map>
#include <tuple>

#include "trace/log.hpp"

namespace espalier::trace {

Nanoseconds begin_of(const Call& call) {
  return *std::min_element(call.begin.begin(), call.begin.end());
}
Nanoseconds end_of(const Call& call) { return *std::max_element(call.end.begin(), call.end.end()); }

namespace {

using What = Event::What;

/// The logs of one communicator, by its ranks; nullptr: that rank has none.
using Members = std::vector<const PackedLog*>;

/// One call as its ranks saw it.
struct Sides {
  std::vector<std::uint32_t> plan;
  std::vector<Nanoseconds> begin, end;
  explicit Sides(std::size_t size) : plan(size), begin(size, kNever), end(size, kNever) {}

  [[nodiscard]] bool is_whole() const {
    const auto is_seen = [](Nanoseconds at) { return at != kNever; };
    return std::all_of(begin.begin(), begin.end(), is_seen) &&
           std::all_of(end.begin(), end.end(), is_seen);
  }
};

std::map<std::uint32_t, Sides> calls_of(const Members& members) {
  std::map<std::uint32_t, Sides> calls;
  for (std::size_t r = 0; r < members.size(); ++r) {
    if (members[r] == nullptr) continue;
    for (const Event& event : members[r]->events) {
      if (event.what != What::CallBegin && event.what != What::CallEnd) continue;
      Sides& sides = calls.try_emplace(event.call, members.size()).first->second;
      if (event.what == What::CallBegin) {
        sides.begin[r] = event.at;
        sides.plan[r] = event.tag;
      } else {
        sides.end[r] = event.at;
      }
    }
  }
  std::erase_if(calls, [](const auto& entry) { return !entry.second.is_whole(); });
  return calls;
}

/// Parts of one message become one.
void add_event(Message& message, const Event& event) {
  const auto first = [&](Nanoseconds& at) { at = std::min(at, event.at); };
  const auto last = [&](Nanoseconds& at) { at = at == kNever ? event.at : std::max(at, event.at); };
  if (event.what == What::SendBegin) first(message.send_begin);
  if (event.what == What::SendEnd) last(message.send_end);
  if (event.what == What::RecvBegin) first(message.recv_begin);
  if (event.what == What::RecvEnd) last(message.recv_end);
  if (event.what == What::SendBegin) message.bytes += event.bytes;
}

using MessageKey = std::tuple<Rank, Rank, std::uint32_t>;

std::map<std::uint32_t, std::map<MessageKey, Message>> messages_of(
    const Members& members, const std::map<std::uint32_t, Sides>& calls) {
  std::map<std::uint32_t, std::map<MessageKey, Message>> result;
  for (Rank r = 0; r < members.size(); ++r) {
    for (const Event& event : members[r]->events) {
      if (event.what == What::CallBegin || event.what == What::CallEnd) continue;
      if (!calls.contains(event.call)) continue;
      const bool sends = event.what == What::SendBegin || event.what == What::SendEnd;
      const Rank from = sends ? r : event.peer, to = sends ? event.peer : r;
      Message& message = result[event.call][{from, to, event.tag}];
      message.from = from;
      message.to = to;
      message.tag = event.tag;
      add_event(message, event);
    }
  }
  return result;
}

class Joiner {
 public:
  void add(const Members& members) {
    std::uint64_t made = 0;
    for (const PackedLog* log : members) made = std::max(made, log == nullptr ? 0 : log->calls);
    const bool is_whole = std::none_of(members.begin(), members.end(),
                                       [](const PackedLog* log) { return log == nullptr; });
    const auto calls = is_whole ? calls_of(members) : std::map<std::uint32_t, Sides>{};
    trace_.dropped += made - calls.size();
    if (calls.empty()) return;
    const auto communicator = static_cast<std::uint32_t>(trace_.communicators.size());
    trace_.communicators.push_back(members.front()->communicator);
    plans_.clear();
    auto messages = messages_of(members, calls);
    for (const auto& [number, sides] : calls) {
      Call& call = trace_.calls.emplace_back();
      call.communicator = communicator;
      call.number = number;
      call.plan = plan_of(members, sides);
      call.begin = sides.begin;
      call.end = sides.end;
      for (auto& [key, message] : messages[number]) call.messages.push_back(message);
    }
  }

  Trace done() {
    std::stable_sort(trace_.calls.begin(), trace_.calls.end(),
                     [](const Call& a, const Call& b) { return begin_of(a) < begin_of(b); });
    begin_at_0();
    return std::move(trace_);
  }

 private:
  void begin_at_0() {
    if (trace_.calls.empty()) return;
    const Nanoseconds first = begin_of(trace_.calls.front());
    const auto shift = [first](Nanoseconds& at) {
      // A clock that is off by some microseconds may put a message before its call.
      if (at != kNever) at = std::max<Nanoseconds>(0, at - first);
    };
    for (Call& call : trace_.calls) {
      std::for_each(call.begin.begin(), call.begin.end(), shift);
      std::for_each(call.end.begin(), call.end.end(), shift);
      for (Message& m : call.messages) {
        for (Nanoseconds* at : {&m.send_begin, &m.send_end, &m.recv_begin, &m.recv_end}) shift(*at);
      }
    }
  }

  std::uint32_t plan_of(const Members& members, const Sides& sides) {
    const auto next = static_cast<std::uint32_t>(trace_.plans.size());
    const auto [it, is_new] = plans_.try_emplace(sides.plan, next);
    if (!is_new) return it->second;
    const LoggedPlan& first = members.front()->plans[sides.plan.front()];
    Plan& plan = trace_.plans.emplace_back(
        Plan{first.call, first.irregular, first.name, first.predicted, {}});
    for (std::size_t r = 0; r < members.size(); ++r) {
      plan.programs.push_back(members[r]->plans[sides.plan[r]].program);
    }
    return next;
  }

  Trace trace_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> plans_;  // of this communicator
};

}  // namespace

Trace join(const std::vector<std::vector<PackedLog>>& logs) {
  std::map<std::uint64_t, Members> by_communicator;
  for (Rank rank = 0; rank < logs.size(); ++rank) {
    for (const PackedLog& log : logs[rank]) {
      const std::vector<Rank>& members = log.communicator.members;
      Members& all = by_communicator.try_emplace(log.id, members.size(), nullptr).first->second;
      const auto at = std::find(members.begin(), members.end(), rank);
      if (at != members.end()) all[static_cast<std::size_t>(at - members.begin())] = &log;
    }
  }
  Joiner joiner;
  for (const auto& [id, members] : by_communicator) joiner.add(members);
  return joiner.done();
}

}  // namespace espalier::trace
