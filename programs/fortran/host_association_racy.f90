! An internal procedure changes a variable of its host.
! expect: race
program host
  implicit none
  integer :: i, count
  count = 0
  !$omp parallel do
  do i = 1, 12
    call step(i)
  end do
  print *, count
contains
  subroutine step(n)
    integer, intent(in) :: n
    if (mod(n, 2) == 0) count = count + 1 !~ race count #1
  end subroutine
end program
