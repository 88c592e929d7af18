program race
  integer :: x
  x = 0
  !$omp parallel num_threads(2) shared(x)
  x = x + 1
  !$omp end parallel
  print *, x
end program race
