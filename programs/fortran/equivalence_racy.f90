! Two names for one piece of storage.
! expect: race
program storage
  implicit none
  integer :: words(2)
  real :: values(2)
  equivalence (words(1), values(1))
  values = 0.0
  !$omp parallel sections
  !$omp section
  words(2) = 1 !~ race words() #1
  !$omp section
  values(2) = 2.0 !~ race words() #1
  !$omp end parallel sections
  print *, words(2)
end program
