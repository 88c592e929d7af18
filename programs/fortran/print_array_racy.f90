! An array is printed while it changes.
! expect: race
program output
  implicit none
  integer :: a(5)
  a = 7
  !$omp parallel sections
  !$omp section
  print *, a !~ race a() #1
  !$omp section
  a(2) = 8 !~ race a() #1
  !$omp end parallel sections
end program
