! A barrier after master orders its write before the others' reads.
! expect: race-free all-schedules
program master_barrier
  implicit none
  integer :: x, seen
  seen = 0
  !$omp parallel reduction(+: seen)
  !$omp master
  x = 7
  !$omp end master
  !$omp barrier
  seen = seen + x
  !$omp end parallel
  if (mod(seen, 7) /= 0) error stop "wrong value"
end program
