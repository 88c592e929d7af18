! Sums, products and extrema gathered by reductions.
! expect: race-free all-schedules
program do_reduction
  implicit none
  integer :: i, s, m
  real(8) :: p
  logical :: all_small
  s = 0
  m = -1
  p = 0.0d0
  all_small = .true.
  !$omp parallel do reduction(+: s, p) reduction(max: m) reduction(.and.: all_small)
  do i = 1, 100
    s = s + i
    p = p + 0.5d0
    m = max(m, mod(7 * i, 101))
    all_small = all_small .and. i < 101
  end do
  if (s /= 5050 .or. m /= 100 .or. p /= 50.0d0 .or. .not. all_small) error stop "wrong result"
end program
