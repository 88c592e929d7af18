! A lock of OpenMP around a counter.
! expect: race-free observed-schedule
program locked
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer :: n, k
  n = 0
  call omp_init_lock(lock)
  !$omp parallel do
  do k = 1, 12
    call omp_set_lock(lock)
    n = n + k
    call omp_unset_lock(lock)
  end do
  call omp_destroy_lock(lock)
  if (n /= 78) error stop "wrong sum"
end program
