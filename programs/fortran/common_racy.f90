! Two procedures know one common block by different names.
! expect: race
program common_block
  implicit none
  !$omp parallel sections
  !$omp section
  call set
  !$omp section
  call get
  !$omp end parallel sections
end program
subroutine set
  implicit none
  integer :: a, b
  common /shared/ a, b
  b = 1 !~ race /shared/ #1
end subroutine
subroutine get
  implicit none
  integer :: x(2)
  common /shared/ x
  if (x(2) > 1) print *, x(2) !~ race /shared/ #1
end subroutine
