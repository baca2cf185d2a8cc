// Communicators by every way there is, many of them at once, and intercommunicators.
#include <algorithm>
#include <array>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

using MakeFunction = MPI_Comm (*)(Section&, Random&);

MPI_Comm by_dup(Section& section, Random&) {
  MPI_Comm made = MPI_COMM_NULL;
  section.say("dup");
  section.note(MPI_Comm_dup(section.comm, &made));
  return made;
}

MPI_Comm by_idup(Section& section, Random&) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  section.say("idup");
  section.note(MPI_Comm_idup(section.comm, &made, &request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return made;
}

MPI_Comm by_split(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  const std::uint64_t colours = 1 + random.below(3);
  const bool some_are_out = random.chance(20);
  Random own(section.own_seed(random.next()));
  const int colour = static_cast<int>(own.below(colours)), key = static_cast<int>(own.below(4));
  section.say("split by " + std::to_string(colours) + " colours");
  section.note(MPI_Comm_split(section.comm, some_are_out && colour == 2 ? MPI_UNDEFINED : colour,
                              key, &made));
  return made;
}

MPI_Comm by_split_type(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  section.say("split_type");
  section.note(MPI_Comm_split_type(section.comm, MPI_COMM_TYPE_SHARED,
                                   random.chance(50) ? section.rank : -section.rank, MPI_INFO_NULL,
                                   &made));
  return made;
}

/// At least one rank, in any order. The same on all ranks.
MPI_Group some_ranks(Section& section, Random& random) {
  std::vector<int> chosen;
  for (int i = 0; i < section.size; ++i) {
    if (random.chance(70)) chosen.push_back(i);
  }
  if (chosen.empty()) chosen.push_back(0);
  random.shuffle(std::span(chosen));
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  MPI_Comm_group(section.comm, &all);
  MPI_Group_incl(all, static_cast<int>(chosen.size()), chosen.data(), &some);
  MPI_Group_free(&all);
  return some;
}

MPI_Comm by_create(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group = some_ranks(section, random);
  section.say("create of some ranks");
  section.note(MPI_Comm_create(section.comm, group, &made));
  MPI_Group_free(&group);
  return made;
}

MPI_Comm by_create_group(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group = some_ranks(section, random);
  int place = MPI_UNDEFINED;
  MPI_Group_rank(group, &place);
  section.say("create_group of some ranks");
  if (place != MPI_UNDEFINED) {
    section.note(MPI_Comm_create_group(section.comm, group, 3, &made));
  }
  MPI_Group_free(&group);
  return made;
}

MPI_Comm by_grid(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  std::array<int, 2> dims{0, 0};
  const std::array<int, 2> periods{1, 0};
  MPI_Dims_create(section.size, 2, dims.data());
  const int reorder = random.chance(50) ? 1 : 0;
  section.say("cart_create");
  section.note(MPI_Cart_create(section.comm, 2, dims.data(), periods.data(), reorder, &made));
  return made;
}

MPI_Comm by_ring(Section& section, Random& random) {
  MPI_Comm made = MPI_COMM_NULL;
  const int next = (section.rank + 1) % section.size;
  const int before = (section.rank + section.size - 1) % section.size;
  const int reorder = random.chance(50) ? 1 : 0;
  section.say("dist_graph_create_adjacent");
  section.note(MPI_Dist_graph_create_adjacent(section.comm, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &made));
  int value = section.rank, got = -1;
  section.note(MPI_Neighbor_allgather(&value, 1, MPI_INT, &got, 1, MPI_INT, made));
  section.digest.add(static_cast<std::uint64_t>(got));
  return made;
}

/// Null if there is nobody for the other group.
MPI_Comm between_halves(Section& section, Random& random, bool& is_first) {
  if (section.size < 2) return MPI_COMM_NULL;
  const int first =
      1 + static_cast<int>(random.below(static_cast<std::uint64_t>(section.size) - 1));
  is_first = section.rank < first;
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(section.comm, is_first ? 0 : 1, section.rank, &half);
  section.note(MPI_Intercomm_create(half, 0, section.comm, is_first ? first : 0, 11, &inter));
  MPI_Comm_free(&half);
  return inter;
}

MPI_Comm by_merge(Section& section, Random& random) {
  bool is_first = false;
  MPI_Comm made = MPI_COMM_NULL, inter = between_halves(section, random, is_first);
  if (inter == MPI_COMM_NULL) return by_dup(section, random);
  section.say("intercomm_create and merge");
  section.note(MPI_Intercomm_merge(inter, is_first ? 1 : 0, &made));
  MPI_Comm_free(&inter);
  return made;
}

/// Collectives between the groups: root passes `first` to the others.
void call_between(Section& section, Random& random, MPI_Comm inter, bool is_first) {
  int others = 0, rank = 0;
  MPI_Comm_remote_size(inter, &others);
  MPI_Comm_rank(inter, &rank);
  const int count = 1 + static_cast<int>(random.below(100));
  const bool first_sends = random.chance(50);
  const auto which = random.below(6);
  const int sender = rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const int root = is_first == first_sends ? sender : 0;
  std::vector<int> sent(static_cast<std::size_t>(count * others), 3 + section.rank);
  std::vector<int> got(sent.size(), -1);
  section.say("collective " + std::to_string(which) + " between two groups");
  switch (which) {
    case 0:
      if (root == MPI_ROOT) got = sent;
      section.note(MPI_Bcast(got.data(), count, MPI_INT, root, inter));
      break;
    case 1:
      section.note(MPI_Allreduce(sent.data(), got.data(), count, MPI_INT, MPI_SUM, inter));
      break;
    case 2:
      section.note(MPI_Allgather(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, inter));
      break;
    case 3:
      section.note(MPI_Alltoall(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, inter));
      break;
    case 4:
      section.note(MPI_Reduce(sent.data(), got.data(), count, MPI_INT, MPI_SUM,
                              is_first == first_sends ? 0 : sender, inter));
      break;
    default:
      section.note(MPI_Barrier(inter));
  }
  section.digest.add(got);
}

/// A sum of ones, and a broadcast.
void use_briefly(Section& section, MPI_Comm comm) {
  int one = 1, sum = 0, size = 1;
  section.note(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
  MPI_Comm_size(comm, &size);
  section.note(MPI_Bcast(&sum, 1, MPI_INT, size - 1, comm));
  section.digest.add(static_cast<std::uint64_t>(sum));
}

MPI_Info random_info(Random& random) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (random.chance(50)) MPI_Info_set(info, "espalier", random.chance(50) ? "off" : "on");
  if (random.chance(30)) MPI_Info_set(info, "colour", "green");
  return info;
}

}  // namespace

MPI_Comm derived_communicator(Section& section, Random& random) {
  constexpr std::array<MakeFunction, 9> kMakers{by_dup,        by_idup,   by_split,
                                                by_split_type, by_create, by_create_group,
                                                by_grid,       by_ring,   by_merge};
  return kMakers[random.below(kMakers.size())](section, random);
}

void step_communicator(Section& section, Random& random) {
  MPI_Comm made = derived_communicator(section, random);
  const std::uint64_t seed = random.next();
  const int steps = 1 + static_cast<int>(random.below(3));
  section.on(made, [&] {
    Random inner(seed);
    for (int i = 0; i < steps; ++i) any_blocking_step(section, inner);
  });
  free_communicator(made);
}

void step_between_groups(Section& section, Random& random) {
  bool is_first = false;
  MPI_Comm inter = between_halves(section, random, is_first);
  if (inter == MPI_COMM_NULL) return;
  const int calls = 1 + static_cast<int>(random.below(4));
  for (int i = 0; i < calls; ++i) call_between(section, random, inter, is_first);
  if (random.chance(50)) {
    MPI_Comm copy = MPI_COMM_NULL;
    section.note(MPI_Comm_dup(inter, &copy));
    call_between(section, random, copy, is_first);
    MPI_Comm_free(&copy);
  }
  MPI_Comm_free(&inter);
}

void step_info(Section& section, Random& random) {
  const bool differs = random.chance(30);  // between ranks
  const std::uint64_t seed = random.next(), shared = random.next();
  Random source(differs ? section.own_seed(shared) : shared);
  MPI_Info info = random_info(source);
  MPI_Comm copy = MPI_COMM_NULL;
  section.say("dup_with_info and set_info");
  section.note(MPI_Comm_dup_with_info(section.comm, info, &copy));
  MPI_Info_free(&info);
  section.on(copy, [&] {
    Random inner(seed);
    any_blocking_step(section, inner);
    info = random_info(source);
    section.note(MPI_Comm_set_info(section.comm, info));
    MPI_Info_free(&info);
    any_blocking_step(section, inner);
  });
  MPI_Comm_free(&copy);
}

void step_many(Section& section, Random& random) {
  std::vector<MPI_Comm> all(20 + random.below(60));
  section.say(std::to_string(all.size()) + " communicators at once");
  for (MPI_Comm& one : all) {
    section.note(MPI_Comm_dup(section.comm, &one));
    if (random.chance(50)) use_briefly(section, one);
  }
  random.shuffle(std::span(all));
  for (MPI_Comm& one : all) {
    if (random.chance(30)) use_briefly(section, one);
    MPI_Comm_free(&one);
  }
}

void step_exhausted(Section& section, Random& random) {
  // As many as there are under MPICH, some of which are the program's already; Open MPI has 65,531.
  constexpr std::size_t kMost = 2030;
  std::vector<MPI_Comm> all(kMost - random.below(10));
  section.say(std::to_string(all.size()) + " communicators, almost all that there are");
  for (std::size_t i = 0; i < all.size(); ++i) {
    section.note(MPI_Comm_dup(section.comm, &all[i]));
    if (i % 16 == 0 || i + 20 > all.size()) use_briefly(section, all[i]);
  }
  random.shuffle(std::span(all));
  for (MPI_Comm& one : all) MPI_Comm_free(&one);
  use_briefly(section, section.comm);
}

void step_session(Section& section, Random& random) {
#if MPI_VERSION >= 4
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  section.say("a session's communicator");
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  // The processes of the section, numbered as in the world.
  std::vector<int> ranks(static_cast<std::size_t>(section.size));
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Allgather(&world, 1, MPI_INT, ranks.data(), 1, MPI_INT, section.comm);
  std::sort(ranks.begin(), ranks.end());
  MPI_Group_incl(all, section.size, ranks.data(), &group);
  MPI_Comm_create_from_group(group, "espalier.sections", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                             &comm);
  MPI_Group_free(&all);
  MPI_Group_free(&group);
  const std::uint64_t seed = random.next();
  section.on(comm, [&] {
    Random inner(seed);
    any_blocking_step(section, inner);
    any_blocking_step(section, inner);
  });
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
#else
  any_blocking_step(section, random);
#endif
}

}  // namespace espalier::sections
