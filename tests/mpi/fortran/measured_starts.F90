! Non-blocking collectives of Fortran with ESPALIER_NONBLOCKING=measured, on a machine with a far link: native starts, whose requests are ours
! meanwhile, and planned ones take turns (6, 12, 6). Later ones are native, since no call blocks. Once with mpif.h, once with mpi_f08
! (WITH_F08), where ierror may be left out.
program measured_starts
#ifdef WITH_F08
  use mpi_f08
#endif
  use checks
  implicit none
#ifdef WITH_F08
  type(MPI_Request) :: requests(2)
#else
  include 'mpif.h'
  integer :: requests(2)
#endif
  integer, asynchronous :: in, out
  integer :: rank, size, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  do i = 1, 3
    call MPI_Allreduce(rank, out, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
  end do
  do i = 1, 30
    in = rank + i
    out = 0
    call forget()
#ifdef WITH_F08
    call MPI_Iallreduce(in, out, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(1))
#else
    call MPI_Iallreduce(in, out, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(1), ierror)
    call expect(ierror == MPI_SUCCESS, 'start')
#endif
    if (i > 6 .and. i <= 18) call expect_planned('allreduce')
    if (i <= 6 .or. i > 18) call expect_native('allreduce')
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(2), ierror)
    call expect(ierror == MPI_SUCCESS, 'barrier')
    if (modulo(i, 2) == 0) then
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    else
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
    end if
    call expect(out == size - 1 + i, 'result')
    call expect(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'completed')
  end do
  do i = 1, 8
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program
