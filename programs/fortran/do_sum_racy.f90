! A sum without its reduction.
! expect: race
program do_sum
  implicit none
  integer :: i, s
  s = 0
  !$omp parallel do
  do i = 1, 100
    s = s + i !~ race s #1
  end do
  print *, s
end program
