! A loop by do concurrent is run by each thread of the region; here all of them write the same array.
! expect: race
program concurrent
  implicit none
  integer :: i, a(8)
  !$omp parallel private(i)
  do concurrent (i = 1:8)
    a(i) = i !~ race a() #1
  end do
  !$omp end parallel
  print *, a
end program
