! The creator waits for its task before it reads.
! expect: race-free all-schedules
program wait_for_task
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel
  !$omp single
  !$omp task shared(x)
  x = 1
  !$omp end task
  !$omp taskwait
  y = x
  !$omp end single
  !$omp end parallel
  if (y /= 1) error stop "wrong value"
end program
