#include "collective/dissemination_barrier.hpp"

namespace espalier::collective {

void dissemination_barrier(schedule::ProgramBuilder& program, const Team& team) {
  program.fence();
  for (std::uint64_t distance = 1; distance < team.size(); distance *= 2) {
    const auto d = static_cast<std::int64_t>(distance);
    program.send(team.at(team.me + d), {});
    program.recv(team.at(team.me - d), {});
    program.fence();
  }
}

}  // namespace espalier::collective
