! A variable of a module, changed by a procedure that all threads call.
! expect: race
module totals
  implicit none
  integer :: total = 0
contains
  subroutine add(n)
    integer, intent(in) :: n
    total = total + n !~ race total #1
  end subroutine
end module
program module_variable
  use totals
  implicit none
  integer :: i
  !$omp parallel do
  do i = 1, 10
    call add(i)
  end do
  print *, total
end program
