! Numbers drawn from a counter: each thread gets its own.
! expect: race-free
program atomic_capture
  implicit none
  integer :: next, mine, i, taken(16)
  next = 0
  taken = 0
  !$omp parallel do private(mine)
  do i = 1, 16
    !$omp atomic capture
    next = next + 1
    mine = next
    !$omp end atomic
    taken(mine) = 1
  end do
  if (sum(taken) /= 16) error stop "a number was drawn twice"
end program
