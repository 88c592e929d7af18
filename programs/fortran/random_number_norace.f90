! The generator is shared and locked by the library; the numbers go to variables of each thread.
! expect: race-free all-schedules
program random
  implicit none
  real :: x(8), y(4, 8)
  integer :: k
  !$omp parallel do
  do k = 1, 8
    call random_number(x(k))
    call random_number(y(:, k))
  end do
  if (any(x < 0.0) .or. any(y >= 1.0)) error stop "wrong number"
end program
