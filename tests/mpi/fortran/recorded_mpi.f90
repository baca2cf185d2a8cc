program recorded
  use mpi
  implicit none
  integer :: request(4), my_status(MPI_STATUS_SIZE), my_statuses(MPI_STATUS_SIZE, 4)
#define STATUS my_status
#define STATUSES my_statuses
#include "recorded.inc"
end program
