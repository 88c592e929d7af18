! Each thread writes an element of an array of strings.
! expect: race-free all-schedules
program strings
  implicit none
  character(len=4) :: names(4)
  integer :: k
  !$omp parallel do
  do k = 1, 4
    write (names(k), '(i4)') 10 * k
  end do
  if (names(3) /= "  30") error stop "wrong string"
end program
