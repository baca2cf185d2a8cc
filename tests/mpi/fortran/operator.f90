! An operation of the user that does not commute: (a, b) stands for x -> a x + b, and they are composed.
module affine
  implicit none
contains
  subroutine compose(in, inout, length, datatype)
    integer :: length, datatype
    integer :: in(2, length), inout(2, length)
    integer :: i
    do i = 1, length
      inout(2, i) = modulo(inout(1, i) * in(2, i) + inout(2, i), 10007)
      inout(1, i) = modulo(in(1, i) * inout(1, i), 10007)
    end do
  end subroutine

  ! What ranks 0 .. size - 1, where rank r gives (r + 2, r + 1), must come to.
  function composed(size) result(both)
    integer, intent(in) :: size
    integer :: both(2), r, mine(2, 1), sum(2, 1)
    sum(:, 1) = [2, 1]
    do r = 1, size - 1
      mine(:, 1) = [r + 2, r + 1]
      call compose(sum, mine, 1, 0)
      sum = mine
    end do
    both = sum(:, 1)
  end function
end module
