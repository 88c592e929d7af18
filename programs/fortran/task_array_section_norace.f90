! Tasks on halves of an array, by recursion.
! expect: race-free all-schedules
program halves
  implicit none
  integer :: a(64)
  a = 1
  !$omp parallel
  !$omp single
  call double_all(a, 1, 64)
  !$omp end single
  !$omp end parallel
  if (sum(a) /= 128) error stop "wrong sum"
contains
  recursive subroutine double_all(v, from, to)
    integer, intent(inout) :: v(:)
    integer, intent(in) :: from, to
    integer :: middle, i
    if (to - from < 8) then
      do i = from, to
        v(i) = 2 * v(i)
      end do
      return
    end if
    middle = (from + to) / 2
    !$omp task firstprivate(from, middle) shared(v)
    call double_all(v, from, middle)
    !$omp end task
    !$omp task firstprivate(middle, to) shared(v)
    call double_all(v, middle + 1, to)
    !$omp end task
    !$omp taskwait
  end subroutine
end program
