#pragma once

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Makes MPI return a communicator's errors during its lifetime, instead of calling the program's
/// handler: of what we do there the program shall not notice anything. A handler that another
/// thread sets meanwhile stays.
class ReturnedErrors {
 public:
  explicit ReturnedErrors(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &before_);
    PMPI_Comm_set_errhandler(comm_, returning());
  }
  ~ReturnedErrors() {
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm_, &now);
    if (now == returning()) PMPI_Comm_set_errhandler(comm_, before_);
    if (now != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&now);
    PMPI_Errhandler_free(&before_);
  }
  ReturnedErrors(const ReturnedErrors&) = delete;
  ReturnedErrors& operator=(const ReturnedErrors&) = delete;

 private:
  static void do_nothing(MPI_Comm*, int*, ...) {}
  /// Our own, so that it is told from MPI_ERRORS_RETURN of the program.
  static MPI_Errhandler returning() {
    static const MPI_Errhandler kReturning = [] {
      MPI_Errhandler made = MPI_ERRHANDLER_NULL;
      PMPI_Comm_create_errhandler(&do_nothing, &made);
      return made;
    }();
    return kReturning;
  }

  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace espalier::mpi
