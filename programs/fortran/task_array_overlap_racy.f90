! Tasks on halves of an array that share the element in the middle.
! expect: race
program halves
  implicit none
  integer :: a(16)
  a = 1
  !$omp parallel
  !$omp single
  !$omp task shared(a)
  call double_all(a, 1, 8)
  !$omp end task
  !$omp task shared(a)
  call double_all(a, 8, 16)
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, sum(a)
contains
  subroutine double_all(v, from, to)
    integer, intent(inout) :: v(:)
    integer, intent(in) :: from, to
    integer :: i
    do i = from, to
      v(i) = 2 * v(i) !~ race a() #1
    end do
  end subroutine
end program
