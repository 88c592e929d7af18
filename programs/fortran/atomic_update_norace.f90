! Atomic updates of integers and reals, of one element each.
! expect: race-free
program atomic_update
  implicit none
  integer :: i, bins(0:3)
  real(8) :: total
  bins = 0
  total = 0
  !$omp parallel do
  do i = 1, 40
    !$omp atomic update
    bins(mod(i, 4)) = bins(mod(i, 4)) + 1
    !$omp atomic
    total = total + 0.25d0
  end do
  if (any(bins /= 10) .or. total /= 10.0d0) error stop "wrong result"
end program
