! One of two tasks does not take the lock.
! expect: race
program half_locked
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer :: n
  n = 0
  call omp_init_lock(lock)
  !$omp parallel sections
  !$omp section
  call omp_set_lock(lock)
  n = n + 1 !~ race n #1
  call omp_unset_lock(lock)
  !$omp section
  n = n + 2 !~ race n #1
  !$omp end parallel sections
  call omp_destroy_lock(lock)
  print *, n
end program
