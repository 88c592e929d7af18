! The group ends when the tasks of its tasks have.
! expect: race-free all-schedules
program group_of_tasks
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel
  !$omp single
  !$omp taskgroup
  !$omp task shared(x)
  !$omp task shared(x)
  x = 5
  !$omp end task
  !$omp end task
  !$omp end taskgroup
  y = x
  !$omp end single
  !$omp end parallel
  if (y /= 5) error stop "wrong value"
end program
