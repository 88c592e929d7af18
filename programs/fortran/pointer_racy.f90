! Two pointers to one target.
! expect: race
program pointers
  implicit none
  integer, target :: x(4)
  integer, pointer :: p, q
  x = 0
  p => x(2)
  q => x(2)
  !$omp parallel sections
  !$omp section
  p = 1 !~ race x() #1
  !$omp section
  q = 2 !~ race x() #1
  !$omp end parallel sections
  print *, x(2)
end program
