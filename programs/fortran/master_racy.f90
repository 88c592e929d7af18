! No barrier comes with master.
! expect: race
program master_writes
  implicit none
  integer :: x, seen
  x = 0
  seen = 0
  !$omp parallel reduction(+: seen)
  !$omp master
  x = 7 !~ race x #1
  !$omp end master
  seen = seen + x !~ race x #1
  !$omp end parallel
  print *, seen
end program
