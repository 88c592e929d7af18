! A masked assignment beside the assignment of an element.
! expect: race
program where
  implicit none
  integer :: a(6)
  a = [1, 2, 3, 4, 5, 6]
  !$omp parallel sections
  !$omp section
  where (a > 3) a = 0 !~ race a() #1
  !$omp section
  a(5) = 9 !~ race a() #1
  !$omp end parallel sections
  print *, a
end program
