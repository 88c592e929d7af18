! A column is assigned in a procedure that knows the array by other bounds.
! expect: race
program explicit_shape_dummy
  implicit none
  integer :: a(5, 5)
  a = 0
  !$omp parallel sections
  !$omp section
  call fill(a, 5)
  !$omp section
  a(3, 4) = 2 !~ race a() #1
  !$omp end parallel sections
  print *, a(3, 4)
contains
  subroutine fill(v, n)
    integer, intent(in) :: n
    integer, intent(inout) :: v(n, n)
    v(:, 4) = 1 !~ race a() #1
  end subroutine
end program
