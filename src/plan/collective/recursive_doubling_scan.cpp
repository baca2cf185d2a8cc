#include "collective/recursive_doubling_scan.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::Region;
using schedule::slice;

void recursive_doubling_scan(schedule::ProgramBuilder& program, const Team& team,
                             const Region& data) {
  const std::uint64_t spare = program.scratch(team.me > 0 ? data.length : 0);
  const Region received = slice(Buffer::Scratch, spare, data.length);
  for (std::uint64_t distance = 1; distance < team.size(); distance *= 2) {
    const auto d = static_cast<Rank>(distance);
    if (team.me + distance < team.size()) {
      send_unless_empty(program, team.ranks[team.me + d], data);
    }
    if (team.me < d) continue;
    recv_unless_empty(program, team.ranks[team.me - d], received);
    reduce_unless_empty(program, received, data, Operands::FromThenTo);
  }
}

}  // namespace espalier::collective
