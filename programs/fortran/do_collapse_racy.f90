! With both loops shared out, two iterations of the inner one write the same row total.
! expect: race
program do_collapse_carried
  implicit none
  integer :: i, j
  integer :: m(8, 8), total(8)
  m = 1
  total = 0
  !$omp parallel do collapse(2)
  do j = 1, 8
    do i = 1, 8
      total(i) = total(i) + m(i, j) !~ race total() #1
    end do
  end do
  print *, total
end program
