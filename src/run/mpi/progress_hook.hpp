#pragma once

namespace espalier::mpi {

/// How calls that do not block go on while the program is in some other call of MPI: the MPI
/// library calls us whenever it looks for messages.
///
/// | MPI | how |
/// |---|---|
/// | Open MPI | opal_progress_register(), a hook that it exports |
/// | MPICH over UCX | its calls of ucp_worker_progress() go through us |
/// | others | there is none |

/// Whether this MPI library can call us. Changes nothing.
[[nodiscard]] bool has_progress_hook();
/// From now on the MPI library calls `work`, also from inside calls that `work` makes itself.
/// @pre has_progress_hook(); once in a process
void set_progress_hook(void (*work)());
/// Whether `work` may call MPI from there with MPI_THREAD_MULTIPLE too: MPICH then holds a lock
/// that the same thread cannot take again.
[[nodiscard]] bool may_hook_among_threads();
/// Tells the MPI library that `work` has completed a request.
void tell_completion();
/// Lets the MPI library go on with all that is under way, if a probe alone may not: Open MPI's over
/// PSM2 moves messages, but no non-blocking collectives.
void drive_progress();

}  // namespace espalier::mpi
