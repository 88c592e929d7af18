! An array is deallocated while a task may read it.
! expect: race
program deallocate
  implicit none
  integer, allocatable :: a(:)
  integer :: n
  allocate(a(4))
  a = 1
  n = 0
  !$omp parallel
  !$omp single
  !$omp task shared(a, n)
  n = a(2) !~ race a() #1 race? a() #2
  !$omp end task
  deallocate(a) !~ race a() #1 race? a() #2
  !$omp end single
  !$omp end parallel
  print *, n
end program
