! Each thread counts in a copy of its own.
! expect: race-free all-schedules
module counts
  implicit none
  integer, save :: mine = 0
  !$omp threadprivate(mine)
end module
program threadprivate_counter
  use counts
  implicit none
  integer :: i, total
  total = 0
  !$omp parallel reduction(+: total)
  !$omp do
  do i = 1, 40
    mine = mine + 1
  end do
  !$omp end do
  total = total + mine
  !$omp end parallel
  if (total /= 40) error stop "wrong total"
end program
