! The creator does not wait for its task.
! expect: race
program no_wait_for_task
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel
  !$omp single
  !$omp task shared(x)
  x = 1 !~ race x #1
  !$omp end task
  y = x !~ race x #1
  !$omp end single
  !$omp end parallel
  print *, y
end program
