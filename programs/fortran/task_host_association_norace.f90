! Tasks call internal procedures, each with the number that it was created with.
! expect: race-free all-schedules
program task_host_association
  implicit none
  integer :: r(6)
  call outer
  if (sum(r) /= 42) error stop "wrong"
contains
  subroutine outer
    integer :: k, base
    base = 0
    !$omp parallel private(k)
    !$omp single
    do k = 1, 6
      !$omp task
      call set(k)
      !$omp end task
    end do
    !$omp taskwait
    base = 1
    !$omp end single
    !$omp end parallel
    r = r + base * 0
  end subroutine
  subroutine set(n)
    integer, value :: n
    integer, allocatable :: t(:)
    t = [n, n]
    r(n) = sum(t)
  end subroutine
end program
