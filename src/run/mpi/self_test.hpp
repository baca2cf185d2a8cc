#pragma once

namespace espalier::mpi {

/// Whether the MPI of the process matches the header that this library was built with.
struct SelfTest {
  /// The roll call can be held: MPI_COMM_WORLD and the types and operations that it needs work.
  bool can_talk = false;
  /// What does not match the header; nullptr if all does.
  const char* wrong = nullptr;
};

/// Called right after MPI_Init. Local: messages go only to the process itself. Compares handles,
/// sizes, the layout of MPI_Status and constants. So it finds an MPI whose binary interface is not
/// what its name and version text promise.
[[nodiscard]] SelfTest test_mpi();

/// Whether this process was told to survive the loss of others (Open MPI with ULFM). Hidden
/// communicators are not revoked with those of the program, so all its calls are native.
[[nodiscard]] bool is_fault_tolerant();

}  // namespace espalier::mpi
