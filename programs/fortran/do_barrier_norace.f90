! The end of a worksharing loop is a barrier.
! expect: race-free all-schedules
program do_barrier
  implicit none
  integer :: i, a(40), b(40)
  !$omp parallel
  !$omp do
  do i = 1, 40
    a(i) = i
  end do
  !$omp end do
  !$omp do
  do i = 1, 40
    b(i) = a(41 - i)
  end do
  !$omp end do
  !$omp end parallel
  if (b(1) /= 40) error stop "wrong element"
end program
