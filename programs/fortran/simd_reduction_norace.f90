! A loop whose iterations may also share a vector.
! expect: race-free all-schedules
program vectors
  implicit none
  integer :: i
  real :: a(64)
  !$omp parallel do simd
  do i = 1, 64
    a(i) = 0.5 * i
  end do
  if (a(64) /= 32.0) error stop "wrong element"
end program
