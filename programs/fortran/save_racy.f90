! A local variable with an initial value is saved, and shared.
! expect: race
program saved
  implicit none
  integer :: i, a(10)
  !$omp parallel do
  do i = 1, 10
    a(i) = next()
  end do
  print *, a
contains
  integer function next()
    integer :: last = 0
    last = last + 1 !~ race last #1 race? last #2
    next = last     !~ race? last #2
  end function
end program
