#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "verify/checks.hpp"
#include "verify/describe.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;

/// One end of a message.
struct End {
  Rank from, to;
  std::uint32_t tag;
  OpId op;
  std::uint64_t units;

  [[nodiscard]] auto key() const { return std::tuple(from, to, tag); }
};

struct Ends {
  std::vector<End> sends, recvs;
};

Ends list_ends(const Schedule& schedule, const Traffic& traffic) {
  Ends ends;
  for (const Program& program : schedule.programs) {
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (op.kind != OpKind::Send && op.kind != OpKind::Recv) continue;
      for_each_message(program, op, [&](Rank peer, const Region& region) {
        const OpId id = traffic.first_op[program.rank] + i;
        const std::uint64_t units = program.units(region);
        if (op.kind == OpKind::Send) {
          ends.sends.push_back({program.rank, peer, op.tag, id, units});
        } else {
          ends.recvs.push_back({peer, program.rank, op.tag, id, units});
        }
      });
    }
  }
  const auto by_key = [](const End& a, const End& b) {
    return std::tuple(a.key(), a.op) < std::tuple(b.key(), b.op);
  };
  std::sort(ends.sends.begin(), ends.sends.end(), by_key);
  std::sort(ends.recvs.begin(), ends.recvs.end(), by_key);
  return ends;
}

class Matcher {
 public:
  Matcher(const Schedule& schedule, Traffic& traffic, Findings& findings)
      : schedule_(schedule), traffic_(traffic), findings_(findings) {}

  bool run() {
    const Ends ends = list_ends(schedule_, traffic_);
    traffic_.messages.reserve(ends.sends.size());
    auto send = ends.sends.begin();
    auto recv = ends.recvs.begin();
    while (send != ends.sends.end() || recv != ends.recvs.end()) {
      const bool recv_first =
          send == ends.sends.end() || (recv != ends.recvs.end() && recv->key() < send->key());
      const bool send_first =
          recv == ends.recvs.end() || (send != ends.sends.end() && send->key() < recv->key());
      if (send_first) {
        no_partner(*send);
        send = skip_repeated(send, ends.sends.end());
      } else if (recv_first) {
        no_partner(*recv);
        recv = skip_repeated(recv, ends.recvs.end());
      } else {
        pair(*send, *recv);
        send = skip_repeated(send, ends.sends.end());
        recv = skip_repeated(recv, ends.recvs.end());
      }
    }
    return whole_;
  }

 private:
  using Iterator = std::vector<End>::const_iterator;

  void pair(const End& send, const End& recv) {
    traffic_.messages.push_back({send.from, send.to, send.op, recv.op});
    if (send.units == recv.units) return;
    report(FindingKind::LengthMismatch, recv,
           fmt::format(": its send, op {} of rank {}, has {} units, the receive {}",
                       traffic_.local(send.op), send.from, send.units, recv.units),
           "the same length at both ends");
  }

  void no_partner(const End& end) {
    const bool is_send = traffic_.op(schedule_, end.op).kind == OpKind::Send;
    const Rank other = is_send ? end.to : end.from;
    report(FindingKind::NoPartner, end,
           fmt::format(": rank {} has no {} rank {} with tag {}", other,
                       is_send ? "receive from" : "send to", is_send ? end.from : end.to, end.tag),
           "a partner for every message");
  }

  /// The next end with another key; those with the same one are findings.
  Iterator skip_repeated(Iterator at, Iterator end) {
    auto next = at + 1;
    for (; next != end && next->key() == at->key(); ++next) {
      report(FindingKind::RepeatedTag, *next,
             fmt::format(": the pair ({}, {}) has tag {} in op {} already", next->from, next->to,
                         next->tag, traffic_.local(at->op)),
             "a tag once for each ordered pair of ranks");
    }
    return next;
  }

  void report(FindingKind kind, const End& end, const std::string& what,
              const std::string& expected) {
    whole_ = false;
    const Rank rank = traffic_.rank_of[end.op];
    findings_.add(kind, rank, traffic_.local(end.op), [&] {
      return Findings::Words{
          describe(schedule_.programs[rank], traffic_.op(schedule_, end.op)) + what, expected};
    });
  }

  const Schedule& schedule_;
  Traffic& traffic_;
  Findings& findings_;
  bool whole_ = true;
};

/// Which messages each op has a part in.
void index_messages(Traffic& traffic) {
  traffic.first_message.assign(traffic.ops() + 1, 0);
  for (const Message& message : traffic.messages) {
    ++traffic.first_message[message.send + 1];
    ++traffic.first_message[message.recv + 1];
  }
  for (std::size_t op = 0; op < traffic.ops(); ++op) {
    traffic.first_message[op + 1] += traffic.first_message[op];
  }
  traffic.message_ids.resize(2 * traffic.messages.size());
  std::vector<std::uint32_t> next(traffic.first_message.begin(), traffic.first_message.end() - 1);
  for (std::uint32_t id = 0; id < traffic.messages.size(); ++id) {
    traffic.message_ids[next[traffic.messages[id].send]++] = id;
    traffic.message_ids[next[traffic.messages[id].recv]++] = id;
  }
}

}  // namespace

std::optional<Traffic> match_messages(const Schedule& schedule, Findings& findings) {
  Traffic traffic;
  traffic.first_op.push_back(0);
  for (const Program& program : schedule.programs) {
    const auto ops = static_cast<OpId>(program.ops.size());
    traffic.first_op.push_back(traffic.first_op.back() + ops);
    traffic.rank_of.insert(traffic.rank_of.end(), ops, program.rank);
  }
  if (!Matcher(schedule, traffic, findings).run()) return std::nullopt;
  index_messages(traffic);
  return traffic;
}

Region region_of_message(const Op& op, Rank peer) {
  Region region = op.kind == OpKind::Send ? op.from : op.to;
  if (op.peer == kNoRank) region.offset += peer * op.peer_stride;
  return region;
}

}  // namespace espalier::verify
