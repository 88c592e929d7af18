! Intrinsic functions of arrays that nobody writes meanwhile.
! expect: race-free all-schedules
program intrinsic_functions
  implicit none
  integer :: a(12), results(6), k
  a = [(k, k = 1, 12)]
  !$omp parallel sections
  !$omp section
  results(1) = sum(a)
  !$omp section
  results(2) = maxval(a)
  !$omp section
  results(3) = minval(a, mask = a > 3)
  !$omp section
  results(4) = count(mod(a, 2) == 0)
  !$omp section
  results(5) = dot_product(a, a)
  !$omp section
  results(6) = product(a(1:5))
  !$omp end parallel sections
  if (any(results /= [78, 12, 4, 6, 650, 120])) error stop "wrong result"
end program
