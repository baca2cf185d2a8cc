#include <algorithm>

#include "collective/tree_links.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// Received segments of one child that have not been combined yet.
constexpr std::uint64_t kSlots = 4;

struct Child {
  TreeEdge link;
  std::uint64_t segments = 0;
  std::uint64_t next = 0;   // segment to come
  std::uint64_t slots = 0;  // offset of its slots in scratch
  std::uint64_t slot_units = 0;
};

}  // namespace

void tree_reduce(ProgramBuilder& program, const TreeLinks& links, const Region& own,
                 Region result) {
  const bool is_root = links.parent.peer == kNoRank;
  if (links.children.empty()) {
    if (is_root) {
      program.copy(own, result);
      return;
    }
    for (std::uint64_t s = 0; s < segment_count(own, links.parent.segment); ++s) {
      program.send(links.parent.peer, segment_of(own, links.parent.segment, s));
    }
    return;
  }
  if (result.length == 0) result = slice(Buffer::Scratch, program.scratch(own.length), own.length);

  // The last to be sent to in a broadcast is the first to be ready in its mirror.
  std::vector<Child> children;
  for (auto link = links.children.rbegin(); link != links.children.rend(); ++link) {
    Child child{*link, segment_count(own, link->segment), 0, 0, 0};
    child.slot_units = child.segments == 1 ? own.length : link->segment;
    child.slots = program.scratch(child.slot_units * std::min(kSlots, child.segments));
    children.push_back(child);
  }
  // Own contributions are laid down ahead of whatever is combined with them.
  std::uint64_t laid = 0;
  const auto lay_own = [&](std::uint64_t until) {
    if (until <= laid) return;
    Region from = own, to = result;
    from.offset += laid;
    to.offset += laid;
    from.length = to.length = until - laid;
    program.copy(from, to);
    laid = until;
  };
  // The root sends nothing up; it goes by the finest of its children.
  std::uint64_t step = is_root ? own.length : links.parent.segment;
  for (const Child& child : children) {
    if (is_root && child.link.segment != 0) step = std::min(step, child.link.segment);
  }
  for (std::uint64_t s = 0; s < segment_count(own, step); ++s) {
    const Region part = segment_of(result, step, s);
    const std::uint64_t end = part.offset - result.offset + part.length;
    for (Child& child : children) {
      while (child.next < child.segments) {
        const Region piece = segment_of(result, child.link.segment, child.next);
        const std::uint64_t begin = piece.offset - result.offset;
        if (begin >= end && own.length != 0) break;  // of a later part
        lay_own(begin + piece.length);
        const std::uint64_t slot = child.slots + (child.next % kSlots) * child.slot_units;
        const Region received = slice(Buffer::Scratch, slot, piece.length);
        program.recv(child.link.peer, received);
        program.reduce(received, piece, Operands::FromThenTo);
        ++child.next;
      }
    }
    if (!is_root) program.send(links.parent.peer, part);
  }
}

}  // namespace espalier::collective
