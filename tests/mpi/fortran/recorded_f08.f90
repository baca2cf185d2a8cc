program recorded
  use mpi_f08
  implicit none
  type(MPI_Request) :: request(4)
  type(MPI_Status) :: my_status, my_statuses(4)
#define STATUS my_status
#define STATUSES my_statuses
#include "recorded.inc"
end program
