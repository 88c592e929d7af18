! Two loops of which the iterations are shared out together.
! expect: race-free all-schedules
program do_collapse
  implicit none
  integer :: i, j
  integer :: m(0:7, -3:4)
  !$omp parallel do collapse(2)
  do j = -3, 4
    do i = 0, 7
      m(i, j) = i * j
    end do
  end do
  if (m(7, 4) /= 28 .or. m(7, -3) /= -21) error stop "wrong element"
end program
