! Functions that arrange elements anew, of arrays that are only read.
! expect: race-free all-schedules
program rearranged
  implicit none
  integer :: a(2, 6), b(6, 2), c(12), d(12), k
  a = reshape([(k, k = 1, 12)], [2, 6])
  !$omp parallel sections
  !$omp section
  b = transpose(a)
  !$omp section
  c = reshape(a, [12])
  !$omp section
  d = cshift(reshape(a, [12]), 1)
  !$omp end parallel sections
  if (b(6, 1) /= 11 .or. c(12) /= 12 .or. d(12) /= 1) error stop "wrong element"
end program
