! Each task has the value that its creator had, and an element of its own.
! expect: race-free all-schedules
program task_firstprivate
  implicit none
  integer :: i, a(20)
  a = 0
  !$omp parallel
  !$omp single
  do i = 1, 20
    !$omp task firstprivate(i) shared(a)
    a(i) = 3 * i
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (sum(a) /= 630) error stop "wrong sum"
end program
