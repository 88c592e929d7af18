! Substrings that have a character in common.
! expect: race
program substring
  implicit none
  character(len=8) :: s
  s = "abcdefgh"
  !$omp parallel sections
  !$omp section
  s(3:5) = "xyz" !~ race s #1
  !$omp section
  s(5:6) = "uv" !~ race s #1
  !$omp end parallel sections
  print *, s
end program
