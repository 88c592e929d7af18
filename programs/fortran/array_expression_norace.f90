! Threads assign sections of their own, in whole-array expressions.
! expect: race-free all-schedules
program array_expression
  implicit none
  integer :: k
  real :: a(40), b(40)
  b = 2.0
  !$omp parallel do
  do k = 0, 3
    a(10 * k + 1 : 10 * k + 10) = b(10 * k + 1 : 10 * k + 10) + 1.0
  end do
  if (any(a /= 3.0)) error stop "wrong element"
end program
