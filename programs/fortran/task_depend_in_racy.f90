! Two tasks that only depend on what was before, and write.
! expect: race
program task_depend_in
  implicit none
  integer :: x, y
  x = 0
  y = 0
  !$omp parallel
  !$omp single
  !$omp task depend(out: x) shared(x)
  x = 1
  !$omp end task
  !$omp task depend(in: x) shared(x, y)
  y = x + 1 !~ race y #1
  !$omp end task
  !$omp task depend(in: x) shared(x, y)
  y = x + 2 !~ race y #1
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, y
end program
