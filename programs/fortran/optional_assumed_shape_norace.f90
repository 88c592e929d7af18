! Sections of an array are handed to a procedure by descriptors, which are each call's own.
! expect: race-free all-schedules
program descriptors
  implicit none
  integer :: a(4, 8), k
  a = 1
  !$omp parallel do
  do k = 1, 8
    if (mod(k, 2) == 0) then
      call scale_by(a(:, k))
    else
      call scale_by(a(1:4:2, k), 3)
    end if
  end do
  if (sum(a) /= 64) error stop "wrong sum"
contains
  subroutine scale_by(v, factor)
    integer, intent(inout) :: v(:)
    integer, intent(in), optional :: factor
    if (present(factor)) then
      v = v * factor
    else
      v = v * 2
    end if
  end subroutine
end program
