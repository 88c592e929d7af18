! All threads read a number into one variable.
! expect: race
program internal_read
  implicit none
  integer :: n, k
  character(len=4) :: line
  line = "12"
  n = 0
  !$omp parallel do private(line)
  do k = 1, 4
    line = "12"
    read (line, *) n !~ race n #1
  end do
  print *, n
end program
