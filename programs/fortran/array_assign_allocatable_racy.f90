! One task assigns all of an array by the runtime library, another reads an element.
! expect: race
program assign_whole
  implicit none
  integer, allocatable :: a(:), b(:)
  integer :: x
  allocate(a(8), b(8))
  a = 0
  b = 1
  x = 0
  !$omp parallel sections
  !$omp section
  a = b(8:1:-1) !~ race a() #1
  !$omp section
  x = a(3) !~ race a() #1
  !$omp end parallel sections
  print *, x
end program
