! Fibonacci by tasks that does not wait for the second.
! expect: race
program fibonacci
  implicit none
  integer :: r
  !$omp parallel
  !$omp single
  r = fib(6)
  !$omp end single
  !$omp end parallel
  print *, r
contains
  recursive integer function fib(n) result(f)
    integer, intent(in) :: n
    integer :: a, b
    a = 0
    b = 0
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fib(n - 1)
    !$omp end task
    !$omp taskwait
    !$omp task shared(b) firstprivate(n)
    b = fib(n - 2) !~ race b #1
    !$omp end task
    f = a + b !~ race b #1
  end function
end program
