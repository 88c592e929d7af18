! Sections that overlap in one element.
! expect: race
program array_overlap
  implicit none
  integer :: k
  real :: a(41), b(41)
  b = 2.0
  a = 0.0
  !$omp parallel do
  do k = 0, 3
    a(10 * k + 1 : 10 * k + 11) = b(10 * k + 1 : 10 * k + 11) + 1.0 !~ race a() #1
  end do
  print *, a(11)
end program
