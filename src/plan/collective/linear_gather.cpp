#include "collective/linear_gather.hpp"

#include "collective/message_families.hpp"
#include "collective/unless_empty.hpp"

namespace espalier::collective {

void linear_gather(schedule::ProgramBuilder& program, const Participants& participants, Rank root,
                   const schedule::Region& own, const BlockLayout& all, std::uint32_t tag) {
  if (participants.me != root) {
    if (own.length > 0) program.send(participants.at(root), own, tag);
    return;
  }
  std::vector<PeerRegion> messages;
  for (Rank p = 0; p < participants.size(); ++p) {
    if (p != root) messages.push_back({participants.at(p), all.region(program, p)});
  }
  recv_families(program, messages, tag);
  copy_unless_empty(program, own, all.region(program, root));
}

}  // namespace espalier::collective
