! Two threads write into one string.
! expect: race
program internal_file
  implicit none
  character(len=10) :: line
  integer :: k
  line = ""
  !$omp parallel do
  do k = 1, 4
    write (line, '(i10)') k !~ race line #1
  end do
  print *, line
end program
