! What stands before the ordered part is not ordered.
! expect: race
program in_order
  implicit none
  integer :: i, last
  last = 0
  !$omp parallel do ordered schedule(static, 1)
  do i = 1, 10
    if (last > 100) print *, i !~ race last #1
    !$omp ordered
    last = i !~ race last #1
    !$omp end ordered
  end do
  print *, last
end program
