! Two sections with one variable.
! expect: race
program two_sections
  implicit none
  integer :: x, y
  x = 0
  !$omp parallel sections
  !$omp section
  x = 1 !~ race x #1
  !$omp section
  y = x !~ race x #1
  !$omp end parallel sections
  print *, x, y
end program
