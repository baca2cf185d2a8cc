// Gather, scatter, allgather and alltoall: regular, irregular and with a type for each pair.
#include <algorithm>

#include "mpi/sections/layouts.hpp"
#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

using Lengths = std::vector<int>;

/// Integers from each rank to each, a few of the pairs without any.
std::vector<Lengths> pick_lengths(const Section& section, Random& random, bool symmetric) {
  const auto size = static_cast<std::size_t>(section.size);
  const auto most = 1 + random.below(random.chance(10) ? 200 : 8);
  std::vector<Lengths> all(size, Lengths(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const int ints = kUnit * static_cast<int>(random.chance(25) ? 0 : random.below(most));
      all[i][k] = symmetric && k < i ? all[k][i] : ints;
    }
  }
  return all;
}

Lengths column(const std::vector<Lengths>& all, int which) {
  Lengths one;
  for (const Lengths& row : all) one.push_back(row[static_cast<std::size_t>(which)]);
  return one;
}

int longest(const Lengths& lengths) { return *std::max_element(lengths.begin(), lengths.end()); }
int longest(const std::vector<Lengths>& all) {
  int most = 0;
  for (const Lengths& row : all) most = std::max(most, longest(row));
  return most;
}

struct Message {
  Message(const Layout& of, int ints, std::uint64_t fill)
      : layout(of), count(ints / of.ints), memory(of, count, fill) {}
  const Layout& layout;
  int count;
  Memory memory;
};

/// What all the calls here share.
struct Call {
  Call(Section& s, Random& random)
      : section(s), root(s.pick_rank(random)), seed(random.next()), own(s.own_seed(seed)) {
    agree_on_elements(random);
  }
  Section& section;
  int root;
  std::uint64_t seed;
  Random own;  ///< every rank describes its blocks by its own types
  [[nodiscard]] bool is_root() const { return section.rank == root; }
  [[nodiscard]] std::uint64_t filling() const { return section.own_seed(seed + 1); }
};

/// For MPI_Gather. Open MPI 4.1.4 without the library, compared with MPI_Pack on 4 and 7 ranks: of
/// send types whose elements overlap, the blocks that other ranks pass on arrive wrong, and an
/// extent of 8 GiB ends in MPI_ERR_INTERN. Its linear algorithm is right, its binomial one is not.
const Layout& pick_gathered(Call& call, int ints) {
#ifdef OPEN_MPI
  return pick_layout(call.own, ints, false, false);
#else
  return pick_layout(call.own, ints, true);
#endif
}

void gather(Call& call, int ints) {
  Section& section = call.section;
  Message mine(pick_gathered(call, ints), ints, call.filling());
  const Layout& to = pick_layout(call.own, ints, false, false);
  const bool in_place = call.is_root() && call.own.chance(30);
  const int count = ints / to.ints;
  Memory all(to, call.is_root() ? count * section.size : 0, call.filling() + 1);
  section.note(MPI_Gather(in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count,
                          mine.layout.type, call.is_root() ? all.address() : nullptr, count,
                          to.type, call.root, section.comm));
  section.digest.add(all.bytes());
}

void scatter(Call& call, int ints) {
  Section& section = call.section;
  Message mine(pick_layout(call.own, ints, false), ints, call.filling());
  const Layout& from = pick_layout(call.own, ints, true, false);
  const bool in_place = call.is_root() && call.own.chance(30);
  const int count = ints / from.ints;
  Memory all(from, call.is_root() ? count * section.size : 0, call.filling() + 1);
  section.note(MPI_Scatter(call.is_root() ? all.address() : nullptr, count, from.type,
                           in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count,
                           mine.layout.type, call.root, section.comm));
  section.digest.add(mine.memory.bytes());
}

void allgather(Call& call, int ints, bool in_place) {
  Section& section = call.section;
  Message mine(pick_layout(call.own, ints, true), ints, call.filling());
  const Layout& to = pick_layout(call.own, ints, false, false);
  const int count = ints / to.ints;
  Memory all(to, count * section.size, call.filling() + 1);
  section.note(MPI_Allgather(in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count,
                             mine.layout.type, all.address(), count, to.type, section.comm));
  section.digest.add(all.bytes());
}

void alltoall(Call& call, int ints, bool in_place) {
  Section& section = call.section;
  const Layout& from = pick_layout(call.own, ints, true, false);
  const Layout& to = pick_layout(call.own, ints, false, false);
  Memory sent(from, ints / from.ints * section.size, call.filling());
  Memory received(to, ints / to.ints * section.size, call.filling() + 1);
  section.note(MPI_Alltoall(in_place ? MPI_IN_PLACE : sent.address(), ints / from.ints, from.type,
                            received.address(), ints / to.ints, to.type, section.comm));
  section.digest.add(received.bytes());
}

void gatherv(Call& call, const Lengths& lengths) {
  Section& section = call.section;
  const int ints = lengths[static_cast<std::size_t>(section.rank)];
  Message mine(pick_layout(call.own, ints, true), ints, call.filling());
  Blocks all(pick_layout(call.own, longest(lengths), false, false), lengths, call.own,
             call.filling() + 1);
  const bool in_place = call.is_root() && call.own.chance(30);
  section.note(
      MPI_Gatherv(in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count, mine.layout.type,
                  call.is_root() ? all.address() : nullptr, call.is_root() ? all.counts() : nullptr,
                  call.is_root() ? all.displs() : nullptr, all.type(), call.root, section.comm));
  section.digest.add(all.bytes());
}

void scatterv(Call& call, const Lengths& lengths) {
  Section& section = call.section;
  const int ints = lengths[static_cast<std::size_t>(section.rank)];
  Message mine(pick_layout(call.own, ints, false), ints, call.filling());
  Blocks all(pick_layout(call.own, longest(lengths), true, false), lengths, call.own,
             call.filling() + 1);
  const bool in_place = call.is_root() && call.own.chance(30);
  section.note(MPI_Scatterv(call.is_root() ? all.address() : nullptr,
                            call.is_root() ? all.counts() : nullptr,
                            call.is_root() ? all.displs() : nullptr, all.type(),
                            in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count,
                            mine.layout.type, call.root, section.comm));
  section.digest.add(mine.memory.bytes());
}

void allgatherv(Call& call, const Lengths& lengths, bool in_place) {
  Section& section = call.section;
  const int ints = lengths[static_cast<std::size_t>(section.rank)];
  Message mine(pick_layout(call.own, ints, true), ints, call.filling());
  Blocks all(pick_layout(call.own, longest(lengths), false, false), lengths, call.own,
             call.filling() + 1);
  section.note(MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine.memory.address(), mine.count,
                              mine.layout.type, all.address(), all.counts(), all.displs(),
                              all.type(), section.comm));
  section.digest.add(all.bytes());
}

void alltoallv(Call& call, const std::vector<Lengths>& lengths, bool in_place) {
  Section& section = call.section;
  Blocks sent(pick_layout(call.own, longest(lengths), true, false),
              lengths[static_cast<std::size_t>(section.rank)], call.own, call.filling());
  Blocks received(pick_layout(call.own, longest(lengths), false, false),
                  column(lengths, section.rank), call.own, call.filling() + 1);
  section.note(MPI_Alltoallv(in_place ? MPI_IN_PLACE : sent.address(), sent.counts(), sent.displs(),
                             sent.type(), received.address(), received.counts(), received.displs(),
                             received.type(), section.comm));
  section.digest.add(received.bytes());
}

/// One side of an alltoallw; some of what is empty is many elements of a type of size 0.
MixedBlocks mixed_side(Call& call, const Lengths& lengths, bool to_send, bool with_empty_types) {
  std::vector<const Layout*> types;
  std::vector<int> counts;
  for (const int ints : lengths) {
    if (ints == 0 && with_empty_types && kMovesEmptyLayouts) {
      types.push_back(&empty_layouts()[call.own.below(empty_layouts().size())]);
      counts.push_back(static_cast<int>(call.own.below(5)));
      continue;
    }
    types.push_back(&pick_layout(call.own, ints, to_send));
    counts.push_back(ints / types.back()->ints);
  }
  return MixedBlocks(types, counts, call.filling() + (to_send ? 0 : 1));
}

void alltoallw(Call& call, const std::vector<Lengths>& lengths, bool in_place,
               bool with_empty_types) {
  Section& section = call.section;
  if (section.size == 1) return;  // nothing arrives where Open MPI 4.1.4 is to put it
  MixedBlocks sent =
      mixed_side(call, lengths[static_cast<std::size_t>(section.rank)], true, with_empty_types);
  MixedBlocks received = mixed_side(call, column(lengths, section.rank), false, with_empty_types);
  section.note(MPI_Alltoallw(in_place ? MPI_IN_PLACE : sent.address(), sent.counts(), sent.displs(),
                             sent.types(), received.address(), received.counts(), received.displs(),
                             received.types(), section.comm));
  section.digest.add(received.bytes());
}

std::string place_of(bool in_place) { return in_place ? ", in place" : ""; }

/// Everybody's blocks are many elements that hold nothing, of other types on other ranks.
void empty_blocks(Call& call, std::uint64_t which) {
  Section& section = call.section;
  if (!kMovesEmptyLayouts) return;
  const Layout& from = empty_layouts()[call.own.below(empty_layouts().size())];
  const Layout& to = empty_layouts()[call.own.below(empty_layouts().size())];
  const auto size = static_cast<std::size_t>(section.size);
  Blocks sent(from, Lengths(size, 1 + static_cast<int>(call.own.below(4))), call.own, 1);
  Blocks received(to, Lengths(size, 1 + static_cast<int>(call.own.below(4))), call.own, 2);
  switch (which) {
    case 0:
      section.note(MPI_Gatherv(sent.address(), sent.count(0), sent.type(), received.address(),
                               received.counts(), received.displs(), received.type(), call.root,
                               section.comm));
      break;
    case 1:
      section.note(MPI_Scatterv(sent.address(), sent.counts(), sent.displs(), sent.type(),
                                received.address(), received.count(0), received.type(), call.root,
                                section.comm));
      break;
    case 2:
      section.note(MPI_Allgatherv(sent.address(), sent.count(0), sent.type(), received.address(),
                                  received.counts(), received.displs(), received.type(),
                                  section.comm));
      break;
    case 3:
      section.note(MPI_Alltoallv(sent.address(), sent.counts(), sent.displs(), sent.type(),
                                 received.address(), received.counts(), received.displs(),
                                 received.type(), section.comm));
      break;
    case 4:
      section.note(MPI_Bcast(sent.address(), sent.count(0), sent.type(), call.root, section.comm));
      break;
    default:
      section.note(MPI_Allgather(sent.address(), sent.count(0), sent.type(), received.address(),
                                 received.count(0), received.type(), section.comm));
  }
  section.digest.add(received.bytes());
}

}  // namespace

void step_blocks(Section& section, Random& random) {
  const int ints = pick_ints(random) / section.size / kUnit * kUnit;
  const auto which = random.below(4);
  const bool in_place = random.chance(30);
  Call call(section, random);
  const std::string what = " of " + std::to_string(ints) + " ints";
  switch (which) {
    case 0:
      section.say("gather" + what + " to " + std::to_string(call.root));
      return gather(call, ints);
    case 1:
      section.say("scatter" + what + " from " + std::to_string(call.root));
      return scatter(call, ints);
    case 2:
      section.say("allgather" + what + place_of(in_place));
      return allgather(call, ints, in_place);
    default:
      section.say("alltoall" + what + place_of(in_place));
      return alltoall(call, ints, in_place);
  }
}

void step_irregular(Section& section, Random& random) {
  const auto which = random.below(4);
  const bool in_place = random.chance(30);
  const auto lengths = pick_lengths(section, random, in_place);
  Call call(section, random);
  switch (which) {
    case 0:
      section.say("gatherv to " + std::to_string(call.root));
      return gatherv(call, lengths[0]);
    case 1:
      section.say("scatterv from " + std::to_string(call.root));
      return scatterv(call, lengths[0]);
    case 2:
      section.say("allgatherv" + place_of(in_place));
      return allgatherv(call, lengths[0], in_place);
    default:
      section.say("alltoallv" + place_of(in_place));
      return alltoallv(call, lengths, in_place);
  }
}

void step_mixed_types(Section& section, Random& random) {
  const bool in_place = random.chance(30);
  const auto lengths = pick_lengths(section, random, in_place);
  Call call(section, random);
  section.say("alltoallw" + place_of(in_place));
  alltoallw(call, lengths, in_place, false);
}

void step_empty_types(Section& section, Random& random) {
  const auto which = random.below(7);
  const auto lengths = pick_lengths(section, random, false);
  Call call(section, random);
  section.say("types of size 0 in call " + std::to_string(which));
  if (which == 6) return alltoallw(call, lengths, false, true);
  empty_blocks(call, which);
}

}  // namespace espalier::sections
