! A reduction of an array.
! expect: race-free all-schedules
program reduction_array
  implicit none
  integer :: i, h(4), m
  real :: x
  h = 0; m = 100; x = 1
  !$omp parallel do reduction(+: h) reduction(min: m) reduction(*: x)
  do i = 1, 40
    h(mod(i,4)+1) = h(mod(i,4)+1) + 1
    m = min(m, 50 - i)
    x = x * 1.0
  end do
  if (any(h /= 10) .or. m /= 10) error stop "wrong"
end program
