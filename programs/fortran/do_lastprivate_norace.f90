! The value of the last iteration survives the loop.
! expect: race-free all-schedules
program do_lastprivate
  implicit none
  integer :: i, last, a(50)
  !$omp parallel do lastprivate(last)
  do i = 1, 50
    last = 2 * i
    a(i) = last
  end do
  if (last /= 100 .or. a(7) /= 14) error stop "wrong value"
end program
