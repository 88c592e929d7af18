! The ordered part of each iteration comes after that of the one before.
! expect: race-free
program in_order
  implicit none
  integer :: i, last, wrong
  last = 0
  wrong = 0
  !$omp parallel do ordered
  do i = 1, 10
    !$omp ordered
    if (last /= i - 1) wrong = wrong + 1
    last = i
    !$omp end ordered
  end do
  if (wrong /= 0 .or. last /= 10) error stop "not in order"
end program
