! Every second element, and every third: six is in both.
! expect: race
program strides
  implicit none
  integer :: a(12)
  a = 0
  !$omp parallel sections
  !$omp section
  call fill(a(2:12:2), 1)
  !$omp section
  call fill(a(3:12:3), 2)
  !$omp end parallel sections
  print *, a
contains
  subroutine fill(v, n)
    integer, intent(out) :: v(:)
    integer, intent(in) :: n
    v = n !~ race a() #1
  end subroutine
end program
