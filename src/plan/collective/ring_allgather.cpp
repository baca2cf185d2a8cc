#include "collective/ring_allgather.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

void ring_allgather(schedule::ProgramBuilder& program, const Team& team, const BlockLayout& all) {
  const Rank size = team.size();
  const Rank right = team.at(std::int64_t{team.me} + 1);
  const Rank left = team.at(std::int64_t{team.me} - 1);
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, right, all.region(program, team.me + size - step + 1));
    recv_unless_empty(program, left, all.region(program, team.me + size - step));
  }
}

}  // namespace espalier::collective
