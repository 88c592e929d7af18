! A target region runs on the host, and its creator waits for it.
! expect: race-free all-schedules
program on_device
  implicit none
  integer :: i, a(10), s
  s = 0
  !$omp target map(tofrom: s)
  s = 4
  !$omp end target
  !$omp target parallel do map(tofrom: a)
  do i = 1, 10
    a(i) = i
  end do
  if (sum(a) + s /= 59) error stop "wrong sum"
end program
