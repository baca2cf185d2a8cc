#include "collective/striped_parts.hpp"
#include "collective/stripes.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::IndexSet;
using schedule::Operands;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// The ranks of cluster `here` by position, each followed by the ranks of the other clusters that
/// it stands for: position q of one of n ranks is stood for by q * size / n.
std::vector<std::vector<Rank>> stood_for(const Partition& clusters, Rank here) {
  const Rank size = clusters.size_of(here);
  std::vector<std::vector<Rank>> ranks;
  for (const Rank rank : clusters.parts[here]) ranks.push_back({rank});
  for (Rank c = 0; c < clusters.count(); ++c) {
    for (Rank q = 0; c != here && q < clusters.size_of(c); ++q) {
      ranks[Stripes::owner(q, clusters.size_of(c), size)].push_back(clusters.parts[c][q]);
    }
  }
  return ranks;
}

/// Who stands for a rank in each cluster; in its own, itself.
std::vector<Rank> stand_ins(const Partition& clusters, Rank rank) {
  const Rank size = clusters.size_of(clusters.part_of[rank]);
  const Rank position = clusters.position_of[rank];
  std::vector<Rank> found;
  for (const std::vector<Rank>& ranks : clusters.parts) {
    found.push_back(ranks[Stripes::owner(position, size, static_cast<Rank>(ranks.size()))]);
  }
  return found;
}

BlockLayout layout_of(Buffer buffer, std::uint64_t block,
                      const std::vector<std::vector<Rank>>& ranks) {
  std::vector<IndexSet> sets;
  for (const std::vector<Rank>& some : ranks) sets.emplace_back(some);
  return BlockLayout::bundles(buffer, 0, block, sets);
}

}  // namespace

void striped_allgather(ProgramBuilder& program, const Partition& clusters, Inside inside,
                       std::uint64_t block) {
  if (block == 0) return;
  const Participants participants = clusters.participants_of(program.rank());
  const Rank here = clusters.part_of[program.rank()];
  const Region own = slice(Buffer::In, 0, block);
  const auto receivers = stand_ins(clusters, program.rank());
  for (Rank step = 1; step < clusters.count(); ++step) {
    program.send(receivers[(here + step) % clusters.count()], own);
  }
  program.copy(own, slice(Buffer::Out, program.rank() * block, block));
  const auto ranks = stood_for(clusters, here);
  for (std::size_t i = 1; i < ranks[participants.me].size(); ++i) {
    const Rank from = ranks[participants.me][i];
    program.recv(from, slice(Buffer::Out, from * block, block));
  }
  allgather_inside(program, inside, participants, layout_of(Buffer::Out, block, ranks));
}

void striped_reduce_scatter(ProgramBuilder& program, const Partition& clusters, Inside inside,
                            std::uint64_t block) {
  if (block == 0) return;
  const Participants participants = clusters.participants_of(program.rank());
  const Rank here = clusters.part_of[program.rank()];
  const auto ranks = stood_for(clusters, here);
  const std::uint64_t units = ranks[participants.me].size() * block;
  const std::uint64_t partial = program.scratch(units);
  reduce_scatter_inside(program, inside, participants, layout_of(Buffer::In, block, ranks),
                        slice(Buffer::Scratch, partial, units));
  for (std::size_t i = 1; i < ranks[participants.me].size(); ++i) {
    program.send(ranks[participants.me][i], slice(Buffer::Scratch, partial + i * block, block));
  }
  // The first cluster's comes to Out, the others' are put after it one by one.
  const Region out = slice(Buffer::Out, 0, block);
  const auto senders = stand_ins(clusters, program.rank());
  const std::uint64_t room = program.scratch((clusters.count() - 1) * block);
  for (Rank c = 0; c < clusters.count(); ++c) {
    Region piece = c == here ? slice(Buffer::Scratch, partial, block)
                             : slice(Buffer::Scratch, room + (c < here ? c : c - 1) * block, block);
    if (c == 0 && c != here) piece = out;
    if (c != here) program.recv(senders[c], piece);
    if (c == 0 && c == here) program.copy(piece, out);
    if (c > 0) program.reduce(piece, out, Operands::ToThenFrom);
  }
}

}  // namespace espalier::collective
