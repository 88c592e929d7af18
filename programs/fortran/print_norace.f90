! Output by all threads: the lines come in any order, and nobody's variables are written.
! expect: race-free all-schedules
program output
  implicit none
  integer :: k, a(5)
  a = 7
  !$omp parallel do
  do k = 1, 4
    print *, k, a, sum(a)
  end do
end program
