! A thread reaches another's copy by a pointer.
! expect: race
module store
  implicit none
  integer, save, target :: mine = 0
  integer, pointer :: of_first
  !$omp threadprivate(mine)
end module
program threadprivate_pointer
  use store
  use omp_lib
  implicit none
  !$omp parallel
  !$omp single
  of_first => mine
  !$omp end single
  mine = 1      !~ race? mine #1
  of_first = 2  !~ race mine #2 race? mine #1
  !$omp end parallel
  print *, of_first
end program
