! Components of one object, each by a task of its own.
! expect: race-free all-schedules
program components
  implicit none
  type point
    integer :: x, y
    real :: weights(4)
  end type
  type(point) :: p
  !$omp parallel sections
  !$omp section
  p%x = 1
  !$omp section
  p%y = 2
  !$omp section
  p%weights = 0.5
  !$omp end parallel sections
  if (p%x + p%y /= 3 .or. sum(p%weights) /= 2.0) error stop "wrong component"
end program
