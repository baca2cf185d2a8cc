#include "mpi/progress_hook.hpp"

namespace espalier::mpi {

bool has_progress_hook() { return false; }
void set_progress_hook(void (* /*work*/)()) {}
void tell_completion() {}
void drive_progress() {}

bool may_hook_among_threads() { return false; }

}  // namespace espalier::mpi
