! An assignment of another shape allocates the array anew, beside a question for its size.
! expect: race
program assign_reallocates
  implicit none
  integer, allocatable :: a(:)
  integer :: n
  a = [1, 2, 3]
  n = 0
  !$omp parallel sections
  !$omp section
  a = [1, 2, 3, 4] !~ race a() #1
  !$omp section
  n = size(a) !~ race a() #1
  !$omp end parallel sections
  print *, n
end program
