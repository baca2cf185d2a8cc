#include "collective/tree_gather.hpp"

namespace espalier::collective {

using schedule::Axis;
using schedule::Buffer;
using schedule::IndexSet;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The blocks of these ranks in a buffer that holds one for each rank, in the bundle's order.
Region blocks(ProgramBuilder& program, Buffer buffer, std::span<const Rank> ranks,
              std::uint64_t block) {
  Region region = slice(buffer, 0, block);
  region.inner = Axis{program.set(IndexSet{ranks}), block};
  return region;
}

/// Room for the own block and all children's bundles; returns its offset.
std::uint64_t bundle_room(ProgramBuilder& program, std::span<const std::vector<Rank>> bundles,
                          std::uint64_t block, std::uint64_t& units) {
  units = block;
  for (const auto& bundle : bundles) units += bundle.size() * block;
  return program.scratch(units);
}

}  // namespace

void gather_up(ProgramBuilder& program, const TreeLinks& links,
               std::span<const std::vector<Rank>> bundle_of_child, const Region& own) {
  if (links.children.empty()) {
    program.send(links.parent.peer, own);
    return;
  }
  std::uint64_t units = 0;
  const std::uint64_t room = bundle_room(program, bundle_of_child, own.length, units);
  program.copy(own, slice(Buffer::Scratch, room, own.length));
  std::uint64_t at = room + own.length;
  for (std::size_t c = 0; c < links.children.size(); ++c) {
    const std::uint64_t length = bundle_of_child[c].size() * own.length;
    program.recv(links.children[c].peer, slice(Buffer::Scratch, at, length));
    at += length;
  }
  program.send(links.parent.peer, slice(Buffer::Scratch, room, units));
}

void gather_at_root(ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<Rank>> bundle_of_child, const Region& own,
                    Buffer to, std::uint64_t block) {
  program.copy(own, slice(to, program.rank() * block, block));
  for (std::size_t c = 0; c < links.children.size(); ++c) {
    program.recv(links.children[c].peer, blocks(program, to, bundle_of_child[c], block));
  }
}

void scatter_from_root(ProgramBuilder& program, const TreeLinks& links,
                       std::span<const std::vector<Rank>> bundle_of_child, const Region& all,
                       std::uint64_t block, const Region& own) {
  for (std::size_t c = 0; c < links.children.size(); ++c) {
    Region bundle = blocks(program, all.buffer, bundle_of_child[c], block);
    bundle.offset += all.offset;
    program.send(links.children[c].peer, bundle);
  }
  program.copy(slice(all.buffer, all.offset + program.rank() * block, block), own);
}

void scatter_down(ProgramBuilder& program, const TreeLinks& links,
                  std::span<const std::vector<Rank>> bundle_of_child, const Region& own) {
  if (links.children.empty()) {
    program.recv(links.parent.peer, own);
    return;
  }
  std::uint64_t units = 0;
  const std::uint64_t room = bundle_room(program, bundle_of_child, own.length, units);
  program.recv(links.parent.peer, slice(Buffer::Scratch, room, units));
  scatter_packed(program, links, bundle_of_child, room, own);
}

void scatter_packed(ProgramBuilder& program, const TreeLinks& links,
                    std::span<const std::vector<Rank>> bundle_of_child, std::uint64_t room,
                    const Region& own) {
  std::uint64_t at = room + own.length;
  for (std::size_t c = 0; c < links.children.size(); ++c) {
    const std::uint64_t length = bundle_of_child[c].size() * own.length;
    program.send(links.children[c].peer, slice(Buffer::Scratch, at, length));
    at += length;
  }
  program.copy(slice(Buffer::Scratch, room, own.length), own);
}

void allgather_up(ProgramBuilder& program, const TreeLinks& links,
                  std::span<const std::vector<Rank>> bundle_of_child,
                  const std::vector<Rank>& own_bundle, std::uint64_t block) {
  for (std::size_t c = 0; c < links.children.size(); ++c) {
    program.recv(links.children[c].peer, blocks(program, Buffer::Out, bundle_of_child[c], block));
  }
  if (links.parent.peer == kNoRank) return;
  program.send(links.parent.peer, blocks(program, Buffer::Out, own_bundle, block));
}

void exchange_bundles(ProgramBuilder& program, const Participants& participants,
                      std::span<const std::vector<Rank>> bundle_of, std::uint64_t block) {
  const Region mine = blocks(program, Buffer::Out, bundle_of[participants.me], block);
  for (Rank step = 1; step < participants.size(); ++step)
    program.send(participants.at(participants.me + step), mine);
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank from = (participants.me + participants.size() - step) % participants.size();
    program.recv(participants[from], blocks(program, Buffer::Out, bundle_of[from], block));
  }
}

void ring_bundles(ProgramBuilder& program, const Participants& participants,
                  std::span<const std::vector<Rank>> bundle_of, std::uint64_t block) {
  for (Rank step = 0; step + 1 < participants.size(); ++step) {
    const Rank sent = (participants.me + participants.size() - step) % participants.size();
    const Rank received = (participants.me + participants.size() - step - 1) % participants.size();
    program.send(participants.at(participants.me + 1),
                 blocks(program, Buffer::Out, bundle_of[sent], block));
    program.recv(participants.at(static_cast<std::int64_t>(participants.me) - 1),
                 blocks(program, Buffer::Out, bundle_of[received], block));
  }
}

void broadcast_bundles(ProgramBuilder& program, const TreeLinks& links,
                       std::span<const std::vector<Rank>> bundles, std::uint64_t block) {
  for (const std::vector<Rank>& bundle : bundles) {
    const Region region = blocks(program, Buffer::Out, bundle, block);
    if (links.parent.peer != kNoRank) program.recv(links.parent.peer, region);
    for (const TreeEdge& child : links.children) program.send(child.peer, region);
  }
}

}  // namespace espalier::collective
