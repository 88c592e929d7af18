! One task sums up what another changes.
! expect: race
program sum_beside_write
  implicit none
  integer :: a(20), s
  a = 1
  s = 0
  !$omp parallel sections
  !$omp section
  s = total(a)
  !$omp section
  a(7) = 5 !~ race a() #1
  !$omp end parallel sections
  print *, s
contains
  integer function total(v)
    integer, intent(in) :: v(:)
    total = sum(v) !~ race a() #1
  end function
end program
