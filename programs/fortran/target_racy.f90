! A parallel loop in a target region that adds up without a reduction. flang 19 gives its statements no lines but that of the directive.
! expect: race
program on_device
  implicit none
  integer :: i, s
  s = 0
  !$omp target parallel do map(tofrom: s) !~ race s #1
  do i = 1, 10
    s = s + i
  end do
  print *, s
end program
