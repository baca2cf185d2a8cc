! The old way: fixed form and mpif.h, whose procedures have no interfaces.
      program calls_mpif
      use checks
      use affine
      implicit none
      include 'mpif.h'
      integer rank, size, ierror, i, n, value, request, half, op, type
      integer provided
      integer data(1000), in(2,1000), out(2,1000), should(2)
      double precision x(1000), y(1000)
      integer quiet, info
      call MPI_INIT_THREAD(MPI_THREAD_SINGLE, provided, ierror)
      call expect(ierror .eq. MPI_SUCCESS, 'init')
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)
      call forget()
      do i = 1, 3
        n = 10**i
        data = merge(42, -1, rank .eq. size - 1)
        ierror = -7
        call MPI_BCAST(data, n, MPI_INTEGER, size - 1, MPI_COMM_WORLD,
     &                 ierror)
        call expect_planned('broadcast')
        call expect(ierror .eq. MPI_SUCCESS, 'ierror')
        call expect(all(data(1:n) .eq. 42), 'broadcast')
        x = rank + 1
        call MPI_REDUCE(x, y, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0,
     &                  MPI_COMM_WORLD, ierror)
        call expect_planned('reduce')
        if (rank .eq. 0) then
          call expect(all(y(1:n) .eq. size*(size + 1)/2), 'reduce')
        end if
        call in_place(x, n, ierror)
        call expect_planned('allreduce in place')
        call expect(all(x(1:n) .eq. size), 'allreduce in place')
        call MPI_TYPE_CONTIGUOUS(2, MPI_INTEGER, type, ierror)
        call MPI_TYPE_COMMIT(type, ierror)
        call MPI_OP_CREATE(compose, .false., op, ierror)
        in(1,:) = rank + 2
        in(2,:) = rank + 1
        call on_pairs(in, out, n, type, op, ierror)
        call expect_planned('operation of the user')
        should = composed(size)
        call expect(all(out(1,1:n) .eq. should(1)) .and.
     &              all(out(2,1:n) .eq. should(2)), 'of the user')
        call MPI_OP_FREE(op, ierror)
        call MPI_TYPE_FREE(type, ierror)
      end do
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      call expect_planned('barrier')
      call MPI_COMM_SPLIT(MPI_COMM_WORLD, modulo(rank, 2), rank, half,
     &                    ierror)
      value = rank
      call MPI_BCAST(value, 1, MPI_INTEGER, 0, half, ierror)
      call expect_planned('broadcast on a part')
      call expect(value .eq. modulo(rank, 2), 'broadcast on a part')
      call MPI_COMM_FREE(half, ierror)
      value = merge(5, 0, rank .eq. 0)
      call MPI_IBCAST(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request,
     &                ierror)
      call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
      call expect(value .eq. 5, 'non-blocking broadcast')
      call expect_native('non-blocking broadcast')
      call MPI_IBARRIER(MPI_COMM_WORLD, request, ierror)
      call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
      call expect_native('non-blocking barrier')
      call MPI_INFO_CREATE(info, ierror)
      call MPI_INFO_SET(info, 'espalier', 'off', ierror)
      call MPI_COMM_DUP_WITH_INFO(MPI_COMM_WORLD, info, quiet, ierror)
      call MPI_INFO_FREE(info, ierror)
      call MPI_BARRIER(quiet, ierror)
      call expect_native('switched off')
      call MPI_COMM_FREE(quiet, ierror)
      call MPI_FINALIZE(ierror)
      call finish()
      end program

! In procedures of their own: one compiler sees one type for each.
      subroutine in_place(x, n, ierror)
      include 'mpif.h'
      integer n, ierror
      double precision x(n)
      call MPI_ALLREDUCE(MPI_IN_PLACE, x, n, MPI_DOUBLE_PRECISION,
     &                   MPI_MAX, MPI_COMM_WORLD, ierror)
      end subroutine

      subroutine on_pairs(in, out, n, type, op, ierror)
      include 'mpif.h'
      integer n, type, op, ierror, in(2,n), out(2,n)
      call MPI_ALLREDUCE(in, out, n, type, op, MPI_COMM_WORLD, ierror)
      end subroutine
