! Tasks that are not deferred.
! expect: race-free all-schedules
program task_if
  implicit none
  integer :: x, k
  x = 0
  !$omp parallel
  !$omp single
  do k = 1, 3
    !$omp task if(.false.) shared(x)
    x = x + k
    !$omp end task
  end do
  !$omp task final(.true.) shared(x)
  x = x + 1
  !$omp end task
  !$omp end single
  !$omp end parallel
  if (x /= 7) error stop "wrong"
end program
