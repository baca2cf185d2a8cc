program reordered
  implicit none
  include 'mpif.h'
  integer :: grid
#include "reordered.inc"
end program
