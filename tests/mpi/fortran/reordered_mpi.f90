program reordered
  use mpi
  implicit none
  integer :: grid
#include "reordered.inc"
end program
