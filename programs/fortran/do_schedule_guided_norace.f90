! Chunks of falling sizes, of one array each.
! expect: race-free all-schedules
program do_guided
  implicit none
  integer :: i
  integer(8) :: a(200)
  !$omp parallel do schedule(guided, 4)
  do i = 1, 200
    a(i) = int(i, 8) ** 2
  end do
  if (sum(a) /= 2686700_8) error stop "wrong sum"
end program
