#include "collective/dissemination_barrier.hpp"

namespace espalier::collective {

void dissemination_barrier(schedule::ProgramBuilder& program, const Participants& participants) {
  program.fence();
  for (std::uint64_t distance = 1; distance < participants.size(); distance *= 2) {
    const auto d = static_cast<std::int64_t>(distance);
    program.send(participants.at(participants.me + d), {});
    program.recv(participants.at(participants.me - d), {});
    program.fence();
  }
}

}  // namespace espalier::collective
