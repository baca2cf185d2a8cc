#include <algorithm>

#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

void binomial_scan(ProgramBuilder& program, const Participants& participants, const Region& data) {
  const Rank size = participants.size();
  const std::uint64_t spare = program.scratch(participants.me > 0 ? data.length : 0);
  const Region received = slice(Buffer::Scratch, spare, data.length);
  const auto add_from = [&](Rank position) {
    recv_unless_empty(program, participants[position], received);
    reduce_unless_empty(program, received, data, Operands::FromThenTo);
  };
  // Counted from 1, the last of each aligned range of 2 * half has the range's sum after its step.
  const Rank place = participants.me + 1;
  Rank half = 1;
  for (; half < size; half *= 2) {
    if (place % (2 * half) == 0) {
      add_from(participants.me - half);
    } else if (place % (2 * half) == half && participants.me + half < size) {
      send_unless_empty(program, participants[participants.me + half], data);
    }
  }
  for (half /= 2; half > 0; half /= 2) {
    if (place % (2 * half) == 0 && participants.me + half < size) {
      send_unless_empty(program, participants[participants.me + half], data);
    } else if (place % (2 * half) == half && place > half) {
      add_from(participants.me - half);
    }
  }
}

namespace {

void binomial_scan_time(FlatEstimate& at, std::span<const Rank> members) {
  const auto size = static_cast<Rank>(members.size());
  std::vector<cost::Rounds::RoundMessage> messages;
  Rank half = 1;
  for (; half < size; half *= 2) {
    messages.clear();
    for (Rank p = half - 1; p + half < size; p += 2 * half) {
      messages.push_back({members[p], members[p + half], at.bytes});
    }
    at.rounds.exchange(messages, true, true);
  }
  // Who has its final result sends it on to all it serves at once.
  cost::FlowSharing sharing(at.cost_view);
  std::vector<cost::Flow> flows;
  for (Rank low = half; low > 1; low /= 2) {
    for (Rank place = low; place <= size; place += 2 * low) {
      const Rank from = members[place - 1];
      flows.clear();
      cost::Picos processor = at.rounds.clock(from);
      for (Rank step = low / 2; step > 0; step /= 2) {
        if (place + step > size) continue;
        processor += at.cost_view.send(from, at.bytes);
        flows.push_back({from, members[place + step - 1], at.bytes, processor});
      }
      sharing.settle(flows);
      at.rounds.set_clock(from, processor);
      for (const cost::Flow& flow : flows) {
        at.rounds.set_clock(flow.to, std::max(at.rounds.clock(flow.to), flow.end) +
                                         at.cost_view.recv(flow.to, at.bytes) +
                                         at.cost_view.combine(flow.to, at.bytes));
      }
    }
  }
}

}  // namespace

constexpr Algorithm kBinomialScan =
    flat<any_size, in_out<binomial_scan>, scan_time<binomial_scan_time>, least_binomial_scan>(
        Operation::Scan, "binomial", kSandersTraeff, kMoves);

constexpr Algorithm kBinomialExscan =
    flat<any_size, exscan_of<binomial_scan>, exscan_time<binomial_scan_time>, least_binomial_scan>(
        Operation::Exscan, "binomial", kSandersTraeff, kMoves);

}  // namespace espalier::collective
