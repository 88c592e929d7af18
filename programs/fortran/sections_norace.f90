! Two sections with a variable each.
! expect: race-free all-schedules
program two_sections
  implicit none
  integer :: x, y
  !$omp parallel sections
  !$omp section
  x = 1
  !$omp section
  y = 2
  !$omp end parallel sections
  if (x + y /= 3) error stop "wrong sum"
end program
