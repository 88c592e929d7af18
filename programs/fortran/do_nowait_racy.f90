! The second loop does not wait for the first, and has other iterations on each thread.
! expect: race
program do_nowait
  implicit none
  integer :: i, a(40), b(40)
  a = 0
  !$omp parallel
  !$omp do
  do i = 1, 40
    a(i) = i !~ race a() #1
  end do
  !$omp end do nowait
  !$omp do
  do i = 1, 40
    b(i) = a(41 - i) !~ race a() #1
  end do
  !$omp end parallel
  print *, b(1)
end program
