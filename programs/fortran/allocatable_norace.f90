! An allocatable array, allocated before and shared out in the region.
! expect: race-free all-schedules
program allocatable_array
  implicit none
  integer, allocatable :: a(:)
  integer :: i, n
  n = 50
  allocate(a(0:n))
  !$omp parallel do
  do i = 0, n
    a(i) = i
  end do
  if (sum(a) /= 1275) error stop "wrong sum"
  deallocate(a)
end program
