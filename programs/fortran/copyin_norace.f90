! The region begins with the master's copy of a common block.
! expect: race-free all-schedules
program copyin_common
  implicit none
  integer :: seed, total
  common /state/ seed
  !$omp threadprivate(/state/)
  seed = 3
  total = 0
  !$omp parallel copyin(/state/) reduction(+: total)
  seed = seed + 1
  total = total + seed
  !$omp end parallel
  if (mod(total, 4) /= 0) error stop "wrong total"
end program
