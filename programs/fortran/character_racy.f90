! A string is written while it is compared.
! expect: race
program strings
  implicit none
  character(len=8) :: name
  logical :: same
  name = "before"
  same = .false.
  !$omp parallel sections
  !$omp section
  name = "after" !~ race name #1
  !$omp section
  same = is_before(name)
  !$omp end parallel sections
  print *, same
contains
  logical function is_before(text)
    character(len=*), intent(in) :: text
    is_before = text == "before" !~ race name #1
  end function
end program
