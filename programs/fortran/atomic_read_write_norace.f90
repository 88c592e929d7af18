! A flag that is written and read atomically only.
! expect: race-free
program atomic_flag
  implicit none
  integer :: flag, seen
  flag = 0
  !$omp parallel sections
  !$omp section
  !$omp atomic write
  flag = 1
  !$omp section
  !$omp atomic read
  seen = flag
  !$omp end parallel sections
  if (flag /= 1 .or. seen < 0) error stop "wrong flag"
end program
