! Persistent collectives of Fortran along plans: made, started one by one and together, freed. Once with mpif.h, once with
! mpi_f08 (WITH_F08). Open MPI 4 has them under other names (IS_EXTENSION).
#ifdef IS_EXTENSION
#define BCAST_INIT MPIX_Bcast_init
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define BCAST_INIT MPI_Bcast_init
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif
program persistent
#ifdef WITH_F08
  use mpi_f08
#ifdef IS_EXTENSION
  use mpi_f08_ext
#endif
#endif
  use checks
  implicit none
#ifdef WITH_F08
  type(MPI_Request) :: requests(2)
#else
  include 'mpif.h'
  integer :: requests(2)
#endif
  integer, asynchronous :: data, in, out
  integer :: rank, size, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call forget()
  call BCAST_INIT(data, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
  call expect_planned('broadcast')
  call ALLREDUCE_INIT(in, out, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierror)
  call expect_planned('allreduce')
  do i = 1, 6
    data = merge(i, 0, rank == 0)
    in = i
    out = 0
    if (modulo(i, 2) == 0) then
      call MPI_Startall(2, requests, ierror)
    else
      call MPI_Start(requests(2), ierror)
      call MPI_Start(requests(1), ierror)
    end if
    call expect(ierror == MPI_SUCCESS, 'start')
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
    call expect(data == i .and. out == i * size, 'result')
  end do
  do i = 1, 2
    call MPI_Request_free(requests(i), ierror)
    call expect(requests(i) == MPI_REQUEST_NULL, 'freed')
  end do
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program
