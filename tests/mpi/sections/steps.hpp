#pragma once

// The steps that sections are made of. Each is whole by itself, so that any of them can be left
// out; all numbers come from its own generator, the same on all ranks.
#include "mpi/sections/section.hpp"

namespace espalier::sections {

using Step = void (*)(Section&, Random&);

// Blocking calls.
void step_broadcast(Section& section, Random& random);
void step_reduction(Section& section, Random& random);
void step_blocks(Section& section, Random& random);
void step_irregular(Section& section, Random& random);
void step_mixed_types(Section& section, Random& random);  ///< MPI_Alltoallw
void step_empty_types(Section& section, Random& random);
/// The same call again and again, so that plans are tried.
void step_repeated(Section& section, Random& random);
/// Likewise any blocking call, with other data each time.
void step_tried(Section& section, Random& random);

// Calls under way beside them.
void step_nonblocking(Section& section, Random& random);
/// The same again and again, so that native and planned ones take turns.
void step_starts(Section& section, Random& random);
void step_persistent(Section& section, Random& random);
void step_messages(Section& section, Random& random);

// Other communicators.
void step_communicator(Section& section, Random& random);
void step_neighbours(Section& section, Random& random);
void step_between_groups(Section& section, Random& random);
void step_info(Section& section, Random& random);
void step_many(Section& section, Random& random);
void step_exhausted(Section& section, Random& random);
void step_session(Section& section, Random& random);

// Callbacks and errors.
void step_copy_callback(Section& section, Random& random);
void step_delete_callback(Section& section, Random& random);
void step_error_returned(Section& section, Random& random);
void step_error_thrown(Section& section, Random& random);
void step_error_jumped(Section& section, Random& random);

// One side far ahead, and several threads.
void step_ahead(Section& section, Random& random);
void step_far_ahead(Section& section, Random& random);
void step_threads(Section& section, Random& random);

// What ends the program.
void step_fatal(Section& section, Random& random);
void step_abort(Section& section, Random& random);
void step_uncaught(Section& section, Random& random);
void step_spawn(Section& section, Random& random);

/// One of the steps that any section may have.
void any_step(Section& section, Random& random);
/// One that leaves nothing under way: for communicators that are freed soon.
void any_blocking_step(Section& section, Random& random);

/// Makes a communicator of `from`: by MPI_Comm_dup, split, create, ... Null on ranks outside it.
MPI_Comm derived_communicator(Section& section, Random& random);

/// A call with wrong arguments on all ranks; errors are found before any message.
int wrong_call(Section& section, Random& random);

/// Takes part in what step_spawn does, as the spawned process.
void spawned_part(MPI_Comm parent);

}  // namespace espalier::sections
