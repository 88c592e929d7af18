! Every thread allocates the same array.
! expect: race
program allocate_in_region
  implicit none
  integer, allocatable :: a(:)
  !$omp parallel
  if (.not. allocated(a)) then !~ race a #1
    allocate(a(10)) !~ race a #1 race? a #2
  end if
  !$omp end parallel
  print *, size(a)
end program
