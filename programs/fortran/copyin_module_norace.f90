! Copies of arrays and strings of a module for each thread.
! expect: race-free all-schedules
module m
  implicit none
  integer, save :: t(6) = 0
  real(8), save :: z = 0
  character(len=6), save :: c = "x"
  integer, allocatable, save :: al(:)
  !$omp threadprivate(t, z, c, al)
end module
program copyin_module
  use m
  implicit none
  integer :: s
  t = 2; z = 3; c = "hello"
  s = 0
  allocate(al(3))
  al = 1
  !$omp parallel copyin(t, z, c) reduction(+: s)
  t = t + 1
  s = s + sum(t) + int(z)
  !$omp end parallel
  if (mod(s, 21) /= 0 .or. c /= "hello") error stop "wrong"
end program
