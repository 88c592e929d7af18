! One thread writes, and nobody waits for it.
! expect: race
program single_nowait
  implicit none
  integer :: x, seen
  x = 0
  seen = 0
  !$omp parallel reduction(+: seen)
  !$omp single
  x = 7 !~ race x #1
  !$omp end single nowait
  seen = seen + x !~ race x #1
  !$omp end parallel
  print *, seen
end program
