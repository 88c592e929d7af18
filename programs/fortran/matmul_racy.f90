! A factor changes while it is multiplied.
! expect: race
program matmul_beside_write
  implicit none
  real :: a(6, 6), b(6, 6), c(6, 6)
  a = 1.0
  b = 2.0
  !$omp parallel sections
  !$omp section
  c = matmul(a, b) !~ race b() #1
  !$omp section
  b(4, 5) = 0.0 !~ race b() #1
  !$omp end parallel sections
  print *, c(1, 5)
end program
