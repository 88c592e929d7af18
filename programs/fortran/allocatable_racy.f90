! Two threads write one element of an allocatable array.
! expect: race
program allocatable_array
  implicit none
  integer, allocatable :: a(:)
  integer :: i
  allocate(a(0:9))
  a = 0
  !$omp parallel do
  do i = 1, 40
    a(mod(i, 10)) = i !~ race a() #1
  end do
  print *, a(3)
end program
