// Sections that end the program or start others: launched alone.
#include <array>
#include <cstdlib>

#include "mpi/sections/steps.hpp"

namespace espalier::sections {
namespace {

/// Parents and children, on one communicator.
std::uint64_t merged_calls(MPI_Comm inter, bool are_children) {
  Section section(false);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, are_children ? 1 : 0, &all);
  section.on(all, [&] {
    std::uint64_t seed = 0;
    if (section.rank == 0) seed = 12345;
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, section.comm);
    Random random(seed);
    for (int i = 0; i < 6; ++i) any_blocking_step(section, random);
  });
  MPI_Comm_free(&all);
  return section.digest.value();
}

}  // namespace

void step_abort(Section& section, Random& random) {
  const int who = section.pick_rank(random), code = 1 + static_cast<int>(random.below(60));
  const bool aborts = random.chance(50);
  section.say(std::string(aborts ? "abort" : "exit") + " with " + std::to_string(code));
  if (!aborts) {
    MPI_Barrier(section.comm);
    std::_Exit(code);
  }
  if (section.rank == who) MPI_Abort(section.comm, code);
  MPI_Barrier(section.comm);
}

void step_spawn(Section& section, Random&) {
  section.say("two processes are spawned");
  std::array<char, 4096> program{};
  if (realpath("/proc/self/exe", program.data()) == nullptr) return;
  std::string flag = "--spawned";
  std::array<char*, 2> arguments{flag.data(), nullptr};
  MPI_Comm inter = MPI_COMM_NULL;
  section.note(MPI_Comm_spawn(program.data(), arguments.data(), 2, MPI_INFO_NULL, 0, section.comm,
                              &inter, MPI_ERRCODES_IGNORE));
  section.digest.add(merged_calls(inter, false));
  MPI_Comm_disconnect(&inter);
}

void spawned_part(MPI_Comm parent) {
  merged_calls(parent, true);
  MPI_Comm_disconnect(&parent);
}

}  // namespace espalier::sections
