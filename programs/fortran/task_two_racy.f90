! Two tasks without any order.
! expect: race
program two_tasks
  implicit none
  integer :: x, y
  x = 0
  y = 0
  !$omp parallel
  !$omp single
  !$omp task
  x = 1 !~ race x #1
  !$omp end task
  !$omp task
  y = x !~ race x #1
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, x, y
end program
