! A temporary of the loop is private; the loop variable is so by the rules of the language.
! expect: race-free all-schedules
program do_private
  implicit none
  integer :: i, j, t, a(10, 10)
  !$omp parallel do private(t, j)
  do i = 1, 10
    do j = 1, 10
      t = i * j
      a(j, i) = t + 1
    end do
  end do
  if (a(10, 10) /= 101 .or. a(1, 3) /= 4) error stop "wrong element"
end program
