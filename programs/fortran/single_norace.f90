! One thread writes, and all read after the barrier at the end of the construct.
! expect: race-free all-schedules
program single_writes
  implicit none
  integer :: x, seen
  seen = 0
  !$omp parallel reduction(+: seen)
  !$omp single
  x = 7
  !$omp end single
  seen = seen + x
  !$omp end parallel
  if (mod(seen, 7) /= 0) error stop "wrong value"
end program
