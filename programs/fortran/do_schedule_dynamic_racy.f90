! A neighbour's element, with chunks given out one by one.
! expect: race
program do_dynamic
  implicit none
  integer :: i, a(64)
  a = 0
  !$omp parallel do schedule(dynamic, 1)
  do i = 1, 63
    a(i) = i         !~ race a() #1
    a(i + 1) = i + 1 !~ race a() #1
  end do
  print *, a(64)
end program
