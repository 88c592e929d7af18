! A taskwait is for the task's own children, not for theirs.
! expect: race
program children_only
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel
  !$omp single
  !$omp task shared(x)
  !$omp task shared(x)
  x = 5 !~ race x #1
  !$omp end task
  !$omp end task
  !$omp taskwait
  y = x !~ race x #1
  !$omp end single
  !$omp end parallel
  print *, y
end program
