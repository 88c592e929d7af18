! An atomic update, and a read beside it that is not atomic.
! expect: race
program atomic_plain
  implicit none
  integer :: n, seen
  n = 0
  !$omp parallel sections
  !$omp section
  !$omp atomic
  n = n + 1 !~ race n #1
  !$omp section
  seen = n !~ race n #1
  !$omp end parallel sections
  print *, n, seen
end program
