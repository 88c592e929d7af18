! What one thread has read is handed to all.
! expect: race-free all-schedules
program copyprivate
  implicit none
  integer :: x, s
  s = 0
  !$omp parallel private(x) reduction(+: s)
  !$omp single
  x = 5
  !$omp end single copyprivate(x)
  s = s + x
  !$omp end parallel
  if (mod(s, 5) /= 0) error stop "wrong"
end program
