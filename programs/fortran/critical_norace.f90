! One counter, always in a critical section of one name.
! expect: race-free observed-schedule
program critical_counter
  implicit none
  integer :: n, i
  n = 0
  !$omp parallel do
  do i = 1, 20
    !$omp critical (count)
    n = n + 1
    !$omp end critical (count)
  end do
  if (n /= 20) error stop "wrong count"
end program
