#include "collective/bruck_allgather.hpp"

#include <algorithm>

#include "collective/unless_empty.hpp"

namespace espalier::collective {

void bruck_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                     const BlockLayout& all) {
  const Rank size = participants.size();
  const std::int64_t me = participants.me;
  for (std::uint64_t distance = 1; distance < size; distance *= 2) {
    const auto d = static_cast<Rank>(distance);
    const Rank count = std::min(d, size - d);
    send_unless_empty(program, participants.at(me - d),
                      all.region(program, participants.me, count));
    recv_unless_empty(program, participants.at(me + d),
                      all.region(program, participants.me + d, count));
  }
}

}  // namespace espalier::collective
