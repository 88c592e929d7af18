! The locals of a procedure are each call's own.
! expect: race-free all-schedules
program locals
  implicit none
  integer :: i, a(30)
  !$omp parallel do
  do i = 1, 30
    a(i) = square(i)
  end do
  if (a(30) /= 900) error stop "wrong square"
contains
  pure integer function square(n)
    integer, intent(in) :: n
    integer :: work(4)
    work = n
    square = work(2) * work(3)
  end function
end program
