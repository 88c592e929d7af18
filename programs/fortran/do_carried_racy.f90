! An iteration reads the element that the one before it writes.
! expect: race
program do_carried
  implicit none
  integer :: i, a(0:100)
  a = 1
  !$omp parallel do
  do i = 1, 100
    a(i) = a(i - 1) + 1 !~ race a() #1
  end do
  print *, a(100)
end program
