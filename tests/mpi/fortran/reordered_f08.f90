program reordered
  use mpi_f08
  implicit none
  type(MPI_Comm) :: grid
#include "reordered.inc"
end program
