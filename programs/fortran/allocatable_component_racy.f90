! Two threads write one element of an allocatable component.
! expect: race
program allocatable_component
  implicit none
  type box
    integer, allocatable :: items(:)
  end type
  type(box) :: b
  integer :: k
  allocate(b%items(4))
  b%items = 0
  !$omp parallel do
  do k = 1, 8
    b%items(mod(k, 4) + 1) = k !~ race items() #1
  end do
  print *, b%items
end program
