#include "collective/ring_allgather.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

void ring_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                    const BlockLayout& all) {
  const Rank size = participants.size();
  const Rank right = participants.at(std::int64_t{participants.me} + 1);
  const Rank left = participants.at(std::int64_t{participants.me} - 1);
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, right, all.region(program, participants.me + size - step + 1));
    recv_unless_empty(program, left, all.region(program, participants.me + size - step));
  }
}

}  // namespace espalier::collective
