! Each thread multiplies for a block of its own.
! expect: race-free all-schedules
program matmul_blocks
  implicit none
  real :: a(8, 8), b(8, 8), c(8, 8)
  integer :: k
  a = 1.0
  b = 2.0
  !$omp parallel do
  do k = 1, 4
    c(:, 2 * k - 1 : 2 * k) = matmul(a, b(:, 2 * k - 1 : 2 * k))
  end do
  if (any(c /= 16.0)) error stop "wrong element"
end program
