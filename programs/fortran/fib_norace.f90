! Fibonacci by tasks that wait for theirs.
! expect: race-free all-schedules
program fibonacci
  implicit none
  integer :: r
  !$omp parallel
  !$omp single
  r = fib(10)
  !$omp end single
  !$omp end parallel
  if (r /= 55) error stop "wrong number"
contains
  recursive integer function fib(n) result(f)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function
end program
