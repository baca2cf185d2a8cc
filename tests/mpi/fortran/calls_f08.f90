! Every planned operation through `use mpi_f08`, ierror left out: right, and planned once.
program calls_f08
  use mpi_f08
  use checks
  use affine
  implicit none
  integer :: rank, size, ierror, i
  call MPI_Init_thread(MPI_THREAD_FUNNELED, i)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call forget()
  do i = 1, 3
    call broadcasts(10**i)
    call reductions(10**i)
    call in_rank_order(10**i)
  end do
  call others()
  call neighbours()
  call MPI_Finalize()
  call finish()
contains
  subroutine broadcasts(n)
    integer, intent(in) :: n
    integer, volatile :: data(n)  ! MPI writes behind the compiler's back
    type(MPI_Datatype) :: type
    integer(MPI_ADDRESS_KIND) :: at(2)
    data = merge(42, -1, rank == size - 1)
    ierror = -7
    call MPI_Bcast(data, n, MPI_INTEGER, size - 1, MPI_COMM_WORLD, ierror)
    call expect_planned('broadcast')
    call expect(ierror == MPI_SUCCESS .and. all(data == 42), 'broadcast')
    ! From absolute addresses, with a gap.
    data = merge(17, -1, rank == 0)
    call MPI_Get_address(data(1), at(1))
    call MPI_Get_address(data(5), at(2))
    call MPI_Type_create_hindexed(2, [2, n - 4], at, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    call MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD)
    call expect_planned('broadcast from MPI_BOTTOM')
    call MPI_Type_free(type)
    call expect(all(data(1:2) == 17) .and. all(data(5:) == 17), 'broadcast from MPI_BOTTOM')
  end subroutine

  subroutine reductions(n)
    integer, intent(in) :: n
    double precision :: in(n), out(n), pair(2, n)
    integer(8) :: long(n)
    logical :: flags(n)
    in = rank + 1
    out = -1
    call MPI_Reduce(in, out, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    call expect_planned('reduce')
    if (rank == 0) call expect(all(out == size * (size + 1) / 2), 'reduce')
    if (rank == size - 1) then
      out = in
      call MPI_Reduce(MPI_IN_PLACE, out, n, MPI_REAL8, MPI_MAX, size - 1, MPI_COMM_WORLD)
      call expect(all(out == size), 'reduce in place')
    else
      call MPI_Reduce(in, out, n, MPI_REAL8, MPI_MAX, size - 1, MPI_COMM_WORLD)
    end if
    call expect_planned('reduce in place')
    long = 2_8**40 * (rank + 1)
    call MPI_Allreduce(MPI_IN_PLACE, long, n, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call expect_planned('allreduce in place')
    call expect(all(long == 2_8**40 * (size * (size + 1) / 2)), 'allreduce in place')
    pair(1, :) = merge(9, 1, rank == size - 1)
    pair(2, :) = rank
    call MPI_Allreduce(MPI_IN_PLACE, pair, n, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
    call expect_planned('maxloc')
    call expect(all(pair(1, :) == merge(9, 1, size > 0)) .and. all(pair(2, :) == size - 1), 'maxloc')
    flags = rank /= 0
    call MPI_Allreduce(MPI_IN_PLACE, flags, n, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    call expect_planned('logical and')
    call expect(.not. any(flags), 'logical and')
  end subroutine

  subroutine in_rank_order(n)
    integer, intent(in) :: n
    integer :: in(2, n), out(2, n), i, should(2)
    type(MPI_Op) :: op
    type(MPI_Datatype) :: type
    call MPI_Type_contiguous(2, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    call MPI_Op_create(compose_f08, .false., op)
    do i = 1, n
      in(:, i) = [rank + 2, rank + 1]
    end do
    call MPI_Allreduce(in, out, n, type, op, MPI_COMM_WORLD)
    call expect_planned('operation of the user')
    should = composed(size)
    call expect(all(out(1, :) == should(1)) .and. all(out(2, :) == should(2)), 'operation of the user')
    call MPI_Op_free(op)
    call MPI_Type_free(type)
  end subroutine

  subroutine compose_f08(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: left(:, :), right(:, :)
    call c_f_pointer(in, left, [2, length])
    call c_f_pointer(inout, right, [2, length])
    call compose(left, right, length, datatype%MPI_VAL)
  end subroutine

  ! Barriers, parts of the world, calls that are native.
  subroutine others()
    integer :: value
    type(MPI_Comm) :: half, quiet
    type(MPI_Info) :: info
    type(MPI_Request) :: request
    call MPI_Barrier(MPI_COMM_WORLD)
    call expect_planned('barrier')
    ierror = -7
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS, 'barrier with ierror')
    call expect_planned('barrier with ierror')
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
    value = rank
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, half)
    call expect(value == modulo(rank, 2), 'broadcast on a part')
    call expect_planned('broadcast on a part')
    call MPI_Comm_free(half)
    value = merge(5, 0, rank == 0)
    call MPI_Ibcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(value == 5, 'non-blocking broadcast')
    call expect_native('non-blocking broadcast')
    call MPI_Ibarrier(MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_native('non-blocking barrier')
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'espalier', 'off')
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, quiet)
    call MPI_Info_free(info)
    call MPI_Barrier(quiet)
    call expect_native('switched off')
    call MPI_Comm_free(quiet)
  end subroutine

  ! On a ring: first the left neighbour, then the right one.
  subroutine neighbours()
    type(MPI_Comm) :: ring
    type(MPI_Datatype) :: types(2)
    integer :: from(2), to(2), left, right
    integer(MPI_ADDRESS_KIND) :: there(2), back(2)
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: length
    left = modulo(rank - 1, size)
    right = modulo(rank + 1, size)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., ring, ierror)
    call forget()
    to = -1
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, to, 1, MPI_INTEGER, ring, ierror)
    call expect_planned('neighbor_allgather')
    call expect(all(to == [left, right]), 'neighbor_allgather')
    ! MPICH's own mpi_f08 takes every topology for a distributed graph in the call below, and ends the program.
    call MPI_Get_library_version(version, length, ierror)
    if (index(version, 'MPICH') > 0) then
      call MPI_Comm_free(ring, ierror)
      return
    end if
    ! The right neighbour's block stands before the left one's.
    from = [rank, rank + 100]
    to = -1
    types = MPI_INTEGER
    there = [4, 0]
    back = [0, 4]
    call MPI_Neighbor_alltoallw(from, [1, 1], there, types, to, [1, 1], back, types, ring, ierror)
    call expect_planned('neighbor_alltoallw')
    call expect(all(to == [left, right + 100]), 'neighbor_alltoallw')
    call MPI_Comm_free(ring, ierror)
  end subroutine
end program
