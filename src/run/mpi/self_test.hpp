#pragma once

namespace espalier::mpi {

/// Whether the MPI that runs is the one whose header this was built with.
struct SelfTest {
  /// Ranks can agree on something: world, the types and operations of our first messages.
  bool can_talk = false;
  /// nullptr: all is as the header says. Else what is not.
  const char* wrong = nullptr;
};

/// Right after MPI_Init. Local: messages go to the process itself alone. A library of another
/// binary interface than its name and its words promise is found here, by handles, sizes, the
/// layout of MPI_Status and the values of constants.
[[nodiscard]] SelfTest test_mpi();

}  // namespace espalier::mpi
