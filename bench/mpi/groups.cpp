// Groups beside communicators: how long it takes to make one of six tenths of the ranks, by
// MPI_Comm_split, MPI_Comm_create_group and every scheme of system-ranked groups, and how long
// collectives on them take. `espalier reproduce langer --on lab` runs it.
//
//   mpiexec -n 24 espalier-groups.mpich REPEATS
//
// Lines by rank 0, medians from a common start to the end of the last rank, in microseconds:
//   made WHAT US WRONG
//   called OPERATION BYTES WHERE US WRONG
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <espalier/group.hpp>
#include <memory>
#include <string>

#include "measure/clocks.hpp"

namespace {

using espalier::Group;
using espalier::GroupScheme;
using measure::Timed;

/// About six of ten ranks, the same on all.
bool is_member(int rank) {
  const auto mixed = static_cast<std::uint32_t>(rank + 1) * 2654435761U;
  return rank == 0 || (mixed >> 16U) % 10 < 6;
}

class Times {
 public:
  explicit Times(int repeats) : repeats_(repeats) {}

  /// The median of several; `check` says whether the result is right.
  template <typename Prepare, typename Call, typename Check>
  void take(const std::string& what, const Prepare& prepare, const Call& call, const Check& check) {
    std::vector<double> us;
    int wrong = 0;
    for (int i = 0; i < repeats_ + 1; ++i) {  // the first connects
      const std::int64_t ns =
          clock_.time(Timed{prepare, call, [&] { wrong += check() ? 0 : 1; }, 0});
      if (i > 0) us.push_back(static_cast<double>(ns) / 1e3);
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    std::sort(us.begin(), us.end());
    if (measure::world_rank() != 0) return;
    std::printf("%s %.1f %d\n", what.c_str(), us[us.size() / 2], wrong);
    std::fflush(stdout);
  }

 private:
  int repeats_;
  measure::SharedClock clock_;
};

void nothing() {}

struct Members {
  bool mine = false;
  int count = 0;
  MPI_Group group = MPI_GROUP_NULL;
};

Members members_of_world() {
  Members members;
  std::vector<int> ranks;
  for (int r = 0; r < measure::world_size(); ++r) {
    if (is_member(r)) ranks.push_back(r);
  }
  members.mine = is_member(measure::world_rank());
  members.count = static_cast<int>(ranks.size());
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, members.count, ranks.data(), &members.group);
  MPI_Group_free(&world);
  return members;
}

void time_communicators(Times& times, const Members& members) {
  MPI_Comm comm = MPI_COMM_NULL;
  const auto check = [&] {
    int size = 0;
    if (comm == MPI_COMM_NULL) return !members.mine;
    MPI_Comm_size(comm, &size);
    MPI_Comm_free(&comm);
    return size == members.count;
  };
  times.take(
      "made comm_split", nothing,
      [&] {
        MPI_Comm_split(MPI_COMM_WORLD, members.mine ? 0 : MPI_UNDEFINED, measure::world_rank(),
                       &comm);
      },
      check);
  times.take(
      "made create_group", nothing,
      [&] {
        if (members.mine) MPI_Comm_create_group(MPI_COMM_WORLD, members.group, 0, &comm);
      },
      check);
}

void time_schemes(Times& times, const Members& members, const Group& all) {
  const std::pair<const char*, GroupScheme> schemes[] = {
      {"centralized", GroupScheme::Centralized},
      {"shrink-and-balance", GroupScheme::ShrinkAndBalance},
      {"shrink-by-children", GroupScheme::ShrinkByChildren},
      {"rank-and-hash", GroupScheme::RankAndHash}};
  for (const auto& [name, scheme] : schemes) {
    Group group;
    times.take(
        std::string("made ") + name, nothing,
        [&, of = scheme] { group = all.enroll(members.mine, {.scheme = of}); },
        [&] {
          const bool right = static_cast<int>(group.size()) == (members.mine ? members.count : 0);
          group.free();
          return right;
        });
  }
  Group flat = all.enroll(members.mine);
  Group along;
  times.take(
      "made along-topology", nothing,
      [&] {
        if (members.mine) along = flat.along_topology();
      },
      [&] {
        const bool right = !members.mine || static_cast<int>(along.size()) == members.count;
        if (members.mine) along.free();
        return right;
      });
  flat.free();
}

/// The same three collectives, on a communicator or a group.
struct Place {
  std::string name;
  std::function<void()> barrier;
  std::function<void(std::vector<double>&)> broadcast, allreduce;
};

void time_calls(Times& times, const Members& members, const Place& place) {
  const auto label = [&](const char* operation, std::size_t bytes) {
    return std::string("called ") + operation + " " + std::to_string(bytes) + " " + place.name;
  };
  times.take(
      label("barrier", 0), nothing,
      [&] {
        if (members.mine) place.barrier();
      },
      [] { return true; });
  for (const std::size_t bytes : {8UL, 65536UL}) {
    std::vector<double> data(bytes / sizeof(double));
    times.take(
        label("broadcast", bytes),
        [&] { std::fill(data.begin(), data.end(), measure::world_rank() == 0 ? 7.0 : 0.0); },
        [&] {
          if (members.mine) place.broadcast(data);
        },
        [&] { return !members.mine || data.back() == 7.0; });
    times.take(
        label("allreduce", bytes), [&] { std::fill(data.begin(), data.end(), 1.0); },
        [&] {
          if (members.mine) place.allreduce(data);
        },
        [&] { return !members.mine || data.back() == members.count; });
  }
}

Place on_communicator(MPI_Comm comm) {
  return {"communicator", [=] { MPI_Barrier(comm); },
          [=](std::vector<double>& data) {
            MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_DOUBLE, 0, comm);
          },
          [=](std::vector<double>& data) {
            MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_DOUBLE,
                          MPI_SUM, comm);
          }};
}

/// The root of broadcasts is rank 0 of the world, whatever the system calls it.
Place on_group(const char* name, const Group& group) {
  std::uint32_t root = 0;
  if (group.member()) {
    std::vector<std::uint32_t> found{measure::world_rank() == 0 ? group.rank() : 0};
    group.allreduce(found, espalier::sum);
    root = found[0];
  }
  return {name, [=] { group.barrier(); },
          [=](std::vector<double>& data) { group.broadcast(data, root); },
          [=](std::vector<double>& data) { group.allreduce(data, espalier::sum); }};
}

void time_collectives(Times& times, const Members& members, const Group& all) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, members.mine ? 0 : MPI_UNDEFINED, measure::world_rank(), &comm);
  time_calls(times, members, on_communicator(comm));
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  Group flat = all.enroll(members.mine);
  Group along = members.mine ? flat.along_topology() : Group();
  time_calls(times, members, on_group("group", flat));
  time_calls(times, members, on_group("group-along-topology", along));
  if (members.mine) along.free();
  flat.free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    Times times(argc > 1 ? std::max(1, std::atoi(argv[1])) : 7);
    Members members = members_of_world();
    espalier::GroupsOptions options;
    if (const char* machine = std::getenv("ESPALIER_MACHINE")) options.machine = machine;
    espalier::Groups groups(MPI_COMM_WORLD, options);
    time_communicators(times, members);
    time_schemes(times, members, groups.all());
    time_collectives(times, members, groups.all());
    MPI_Group_free(&members.group);
  }
  MPI_Finalize();
  return 0;
}
