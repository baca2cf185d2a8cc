! Counts what goes wrong. The programs ask after each call how many were planned since the last one: one, not none and
! not two (a Fortran procedure may end in a C function that is caught as well).
module checks
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer :: wrong = 0
  integer(c_int) :: planned_before = 0, native_before = 0
  interface
    function planned_calls() bind(C)
      import :: c_int
      integer(c_int) :: planned_calls
    end function
    function native_calls() bind(C)
      import :: c_int
      integer(c_int) :: native_calls
    end function
  end interface
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    wrong = wrong + 1
    write (0, *) 'FAILED: ', what
  end subroutine

  subroutine forget()
    planned_before = planned_calls()
    native_before = native_calls()
  end subroutine

  subroutine expect_calls(planned, native, what)
    integer, intent(in) :: planned, native
    character(*), intent(in) :: what
    integer(c_int) :: p, n
    p = planned_calls() - planned_before
    n = native_calls() - native_before
    if (p /= planned .or. n /= native) then
      wrong = wrong + 1
      write (0, *) 'FAILED: ', what, ': planned and native calls', p, n, 'expected', planned, native
    end if
    call forget()
  end subroutine

  subroutine expect_planned(what)
    character(*), intent(in) :: what
    call expect_calls(1, 0, what)
  end subroutine

  subroutine expect_native(what)
    character(*), intent(in) :: what
    call expect_calls(0, 1, what)
  end subroutine

  subroutine finish()
    if (wrong /= 0) stop 1
    print '(a)', 'right'
  end subroutine
end module
