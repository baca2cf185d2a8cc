#include <fmt/format.h>

#include "verify/checks.hpp"

namespace espalier::verify {
namespace {

using namespace schedule;

/// For each op (later: rank) the ranks that have surely entered.
class Knowledge {
 public:
  Knowledge(std::size_t rows, Rank ranks)
      : words_((std::size_t{ranks} + 63) / 64), bits_(rows * words_) {}

  void learn(std::size_t row, Rank rank) {
    bits_[row * words_ + rank / 64] |= std::uint64_t{1} << (rank % 64);
  }
  void learn_all(std::size_t row, const Knowledge& from, std::size_t other) {
    for (std::size_t i = 0; i < words_; ++i) {
      bits_[row * words_ + i] |= from.bits_[other * words_ + i];
    }
  }
  [[nodiscard]] bool knows(std::size_t row, Rank rank) const {
    return (bits_[row * words_ + rank / 64] >> (rank % 64) & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

void check_barrier(const Schedule& schedule, const Traffic& traffic,
                   const std::vector<OpEvent>& order, Findings& findings) {
  const Rank size = schedule.call.size;
  Knowledge at_op(traffic.ops(), size);
  for (const OpEvent& event : order) {
    const Rank rank = traffic.rank_of[event.op];
    if (!event.end) {
      at_op.learn(event.op, rank);
      const Program& program = schedule.programs[rank];
      for (const std::uint32_t dep : program.deps_of(traffic.op(schedule, event.op))) {
        at_op.learn_all(event.op, at_op, traffic.first_op[rank] + dep);
      }
    } else if (traffic.op(schedule, event.op).kind == OpKind::Recv) {
      // The sender has begun, and what it knew then does not change any more: a send learns nothing
      // by ending.
      for (const std::uint32_t id : traffic.messages_of(event.op)) {
        at_op.learn_all(event.op, at_op, traffic.messages[id].send);
      }
    }
  }
  Knowledge at_exit(size, size);
  for (OpId op = 0; op < traffic.ops(); ++op) at_exit.learn_all(traffic.rank_of[op], at_op, op);
  for (Rank rank = 0; rank < size; ++rank) {
    at_exit.learn(rank, rank);
    for (Rank other = 0; other < size; ++other) {
      if (at_exit.knows(rank, other)) continue;
      findings.add(FindingKind::EarlyExit, rank, kNoOp, [&] {
        return Findings::Words{fmt::format("rank {} may leave before rank {} enters", rank, other),
                               "to wait for all, directly or through others"};
      });
    }
  }
}

}  // namespace espalier::verify
