! An iteration reads the element that the one after it writes.
! expect: race
program do_anti
  implicit none
  integer :: i
  real :: x(101)
  x = 1.0
  !$omp parallel do schedule(static, 1)
  do i = 1, 100
    x(i) = x(i + 1) * 0.5 !~ race x() #1
  end do
  print *, x(1)
end program
