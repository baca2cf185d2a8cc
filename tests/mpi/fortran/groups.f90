! Groups from Fortran: ranks are split by parity; sums, a broadcast and a barrier are checked. The exit code tells.
program groups_from_fortran
  use mpi
  use espalier_groups
  implicit none
  integer :: ierror, rank, ranks, wrong, members, r
  type(c_ptr) :: groups, half, nobody
  integer, target :: sums(2), told(1)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  wrong = 0
  call check(espalier_groups_open(MPI_COMM_WORLD, 0, c_null_ptr, groups) == MPI_SUCCESS)
  call check(espalier_group_split(espalier_groups_all(groups), mod(rank, 2), half) == MPI_SUCCESS)
  members = (ranks - mod(rank, 2) + 1) / 2
  call check(espalier_group_size(half) == members)
  call check(espalier_group_rank(half) >= 0 .and. espalier_group_rank(half) < members)

  sums = [1, rank]
  call check(espalier_group_allreduce(half, c_loc(sums), 2, MPI_INTEGER, MPI_SUM) == MPI_SUCCESS)
  call check(sums(1) == members)
  call check(sums(2) == sum([(r, r = mod(rank, 2), ranks - 1, 2)]))
  told = espalier_group_rank(half)
  call check(espalier_group_broadcast(half, c_loc(told), 1, MPI_INTEGER, members - 1) == MPI_SUCCESS)
  call check(told(1) == members - 1)
  sums = [2, 0]
  call check(espalier_group_reduce(half, c_loc(sums), 2, MPI_INTEGER, MPI_SUM, 0) == MPI_SUCCESS)
  if (espalier_group_rank(half) == 0) call check(sums(1) == 2 * members)
  call check(espalier_group_barrier(half) == MPI_SUCCESS)
  call check(espalier_group_broadcast(half, c_loc(told), 1, MPI_INTEGER, members) == MPI_ERR_ARG)

  call check(espalier_group_split(espalier_groups_all(groups), MPI_UNDEFINED, nobody) == MPI_SUCCESS)
  call check(espalier_group_size(nobody) == 0)
  call check(espalier_group_barrier(nobody) == MPI_ERR_ARG)
  call check(espalier_group_free(nobody) == MPI_SUCCESS)
  call check(espalier_group_free(half) == MPI_SUCCESS)
  call check(.not. c_associated(half))
  call check(espalier_groups_close(groups) == MPI_SUCCESS)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0 .and. wrong /= 0) print *, wrong, ' wrong'
  call MPI_Finalize(ierror)
  if (wrong /= 0) error stop 1

contains
  subroutine check(holds)
    logical, intent(in) :: holds
    if (.not. holds) wrong = wrong + 1
  end subroutine
end program
