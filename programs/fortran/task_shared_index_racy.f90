! The tasks read the counter of the loop that creates them.
! expect: race
program task_shared_index
  implicit none
  integer :: i, a(0:21)
  a = 0
  !$omp parallel
  !$omp single
  i = 0
  do while (i < 20)
    i = i + 1 !~ race i #1
    !$omp task shared(a, i)
    a(i) = 3 !~ race i #1 race? a() #2
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  print *, sum(a)
end program
