! The copy of a whole object reads the component that another task writes.
! expect: race
program components
  implicit none
  type point
    integer :: x, y
  end type
  type(point) :: p, q
  p = point(1, 2)
  !$omp parallel sections
  !$omp section
  p%y = 3 !~ race p #1
  !$omp section
  q = p !~ race p #1
  !$omp end parallel sections
  print *, q%y
end program
