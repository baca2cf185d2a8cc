#include "formats/block_bytes.hpp"

#include <fmt/format.h>

#include "sim/block_lengths.hpp"
#include "verify/checks.hpp"
#include "verify/verdict.hpp"

namespace espalier::formats {
namespace {

using schedule::Op;
using schedule::OpKind;
using schedule::Program;
using schedule::Schedule;
using verify::Message;
using verify::Traffic;

/// Which member of its family the message with this peer is.
std::uint32_t member_of(const Program& program, const Op& op, Rank peer) {
  std::uint32_t at = 0;
  std::uint32_t found = 0;
  schedule::for_each_message(program, op, [&](Rank p, const schedule::Region&) {
    if (p == peer) found = at;
    ++at;
  });
  return found;
}

class Run {
 public:
  Run(const Schedule& schedule, const Traffic& traffic)
      : schedule_(schedule), traffic_(traffic), lengths_(schedule), begun_(traffic.ops()) {}

  BlockBytes run(const std::vector<verify::OpEvent>& order) {
    for (const verify::OpEvent& event : order) {
      if (!event.end) begin(event.op);
    }
    return std::move(bytes_);
  }

 private:
  void begin(verify::OpId id) {
    begun_[id] = true;
    const Rank rank = traffic_.rank_of[id];
    const std::uint32_t local = traffic_.local(id);
    const OpKind kind = traffic_.op(schedule_, id).kind;
    if (kind == OpKind::Copy || kind == OpKind::Reduce) {
      bytes_.local[BlockBytes::op_key(rank, local)] = lengths_.bytes_read(rank, local);
      if (kind == OpKind::Copy) lengths_.copy(rank, local);
    }
    for (const std::uint32_t m : traffic_.messages_of(id)) {
      const Message& message = traffic_.messages[m];
      if (begun_[message.send] && begun_[message.recv]) carry(m, message);
    }
  }

  void carry(std::uint32_t id, const Message& message) {
    const std::uint32_t send = traffic_.local(message.send);
    const std::uint32_t recv = traffic_.local(message.recv);
    const Program& from = schedule_.programs[message.from];
    const Program& to = schedule_.programs[message.to];
    const std::uint64_t bytes =
        lengths_.send(id, message.from, send, member_of(from, from.ops[send], message.to));
    lengths_.receive(id, message.to, recv, member_of(to, to.ops[recv], message.from));
    bytes_.messages[{BlockBytes::op_key(message.from, send), message.to}] = bytes;
    bytes_.messages[{BlockBytes::op_key(message.to, recv), message.from}] = bytes;
  }

  const Schedule& schedule_;
  const Traffic& traffic_;
  sim::BlockLengths lengths_;
  std::vector<bool> begun_;
  BlockBytes bytes_;
};

}  // namespace

Error refusal(const std::string& what, const std::string& finding) {
  return {"schedule", fmt::format("{}: {}", what, finding),
          "espalier verify tells all that is wrong with it"};
}

Expected<BlockBytes> block_bytes(const Schedule& schedule) {
  verify::Findings findings(1);
  verify::Verdict verdict;
  if (const auto traffic = match_messages(schedule, findings)) {
    if (const auto order = synchronous_order(schedule, *traffic, findings)) {
      return Run(schedule, *traffic).run(*order);
    }
  }
  std::move(findings).hand_over(verdict);
  return refusal("lengths cannot be followed", to_string(verdict.findings.at(0)));
}

}  // namespace espalier::formats
