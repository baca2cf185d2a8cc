! Depths and colours of include/espalier.f90, checked by 6 ranks on "site:2(10ms) node:1|2(1ms) proc:2(1us)", or (with an
! argument) without the library.
program topology
  use mpi
  use espalier
  implicit none
  integer :: levels, status, wanted, ierror, i, failures = 0
  integer :: depths(6), colors(4, 6)
  integer, parameter :: nodes(6) = [0, 0, 1, 1, 2, 2]
  wanted = merge(ESPALIER_NO_LIBRARY, ESPALIER_OK, command_argument_count() > 0)
  call MPI_Init(ierror)
  call espalier_discover(status)
  call expect(status == wanted, 'status of discover')
  call espalier_topology_levels(MPI_COMM_WORLD, levels, status)
  call expect(status == wanted .and. levels == merge(3, 1, wanted == ESPALIER_OK), 'levels')
  call espalier_topology_depths(MPI_COMM_WORLD, depths, status)
  call expect(status == wanted .and. all(depths == levels), 'depths')
  call espalier_topology_colors(MPI_COMM_WORLD, colors, status)
  call expect(status == wanted .and. all(colors(1, :) == 0), 'colours of all')
  call expect(all(colors(4, :) == ESPALIER_NO_COLOR) .and. ESPALIER_NO_COLOR == MPI_UNDEFINED, 'no fourth level')
  do i = 1, 6
    if (wanted /= ESPALIER_OK) exit
    call expect(colors(2, i) == merge(1, 0, nodes(i) > 0) .and. colors(3, i) == nodes(i), 'site and node')
  end do
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (failures > 0) stop 1
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print *, 'FAILED: ', what
  end subroutine
end program
