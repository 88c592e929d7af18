! The creator reads the variable for the task's copy while another task writes it.
! expect: race
program original
  implicit none
  integer :: x, y
  x = 1
  y = 0
  !$omp parallel
  !$omp single
  !$omp task shared(x)
  x = 2 !~ race x #1
  !$omp end task
  !$omp task firstprivate(x) shared(y) !~ race x #1
  y = x
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, y
end program
