! Each thread begins with the value from before the region, and changes its own copy.
! expect: race-free all-schedules
program do_firstprivate
  implicit none
  integer :: i, base, a(40)
  base = 100
  !$omp parallel do firstprivate(base)
  do i = 1, 40
    a(i) = base + i
    if (mod(i, 10) == 0) base = base - 1
  end do
  if (base /= 100 .or. a(1) /= 101) error stop "wrong value"
end program
