! The reader depends on the writer.
! expect: race-free all-schedules
program task_depend
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel
  !$omp single
  !$omp task depend(out: x) shared(x)
  x = 1
  !$omp end task
  !$omp task depend(in: x) shared(x, y)
  y = x + 1
  !$omp end task
  !$omp end single
  !$omp end parallel
  if (y /= 2) error stop "wrong value"
end program
