! Private copies of allocatable arrays.
! expect: race-free all-schedules
program private_allocatable
  implicit none
  integer, allocatable :: w(:)
  integer :: i, r(8)
  allocate(w(5))
  w = 1
  !$omp parallel do private(w)
  do i = 1, 8
    if (.not. allocated(w)) allocate(w(5))
    w = i
    r(i) = sum(w)
  end do
  !$omp parallel do firstprivate(w)
  do i = 1, 8
    w(2) = i
    r(i) = r(i) + w(1) + w(2)
  end do
  if (r(8) /= 49) error stop "wrong"
end program
