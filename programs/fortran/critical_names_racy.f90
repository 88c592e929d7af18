! Two critical sections of different names do not exclude each other.
! expect: race
program critical_names
  implicit none
  integer :: n
  n = 0
  !$omp parallel sections
  !$omp section
  !$omp critical (first)
  n = n + 1 !~ race n #1
  !$omp end critical (first)
  !$omp section
  !$omp critical (second)
  n = n + 2 !~ race n #1
  !$omp end critical (second)
  !$omp end parallel sections
  print *, n
end program
