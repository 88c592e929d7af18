! A temporary of the loop that nobody made private.
! expect: race
program do_private_missing
  implicit none
  integer :: i, t, a(100)
  !$omp parallel do
  do i = 1, 100
    t = 3 * i    !~ race t #1 race? t #2
    a(i) = t + 1 !~ race? t #2
  end do
  print *, a(50)
end program
