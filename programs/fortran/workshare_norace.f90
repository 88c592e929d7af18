! The statements of a workshare construct, one after the other.
! expect: race-free
program shared_work
  implicit none
  integer :: a(16), b(16)
  a = 1
  !$omp parallel workshare
  b = a + 1
  a = b * 2
  !$omp end parallel workshare
  if (sum(a) /= 64) error stop "wrong sum"
end program
