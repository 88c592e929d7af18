! Every iteration of a parallel do has elements of its own.
! expect: race-free all-schedules
program do_independent
  implicit none
  integer :: i, a(100)
  !$omp parallel do
  do i = 1, 100
    a(i) = 2 * i
  end do
  if (sum(a) /= 10100) error stop "wrong sum"
end program
