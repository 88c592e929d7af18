! Private copies of every kind of variable, for tasks whose creator goes on to change its own.
! expect: race-free all-schedules
program task_firstprivate_kinds
  implicit none
  integer :: i, v(4), seen(3)
  real(8) :: d
  character(len=5) :: c
  complex(8) :: z
  type t
    integer :: a, b, c, d
  end type
  type(t) :: q
  integer, allocatable :: al(:)
  logical :: l
  allocate(al(3))
  al = 1
  v = 1; d = 2; c = "abc"; z = (1.,2.); q = t(1,2,3,4); l = .true.
  !$omp parallel
  !$omp single
  do i = 1, 3
    v(1) = i; d = i; q%a = i; al(1) = i; l = .not. l; z = i; c = char(64 + i)
    !$omp task firstprivate(i, v, d, c, z, q, al, l) shared(seen)
    seen(i) = v(1) + int(d) + q%a + al(1) + i + int(real(z))
    v = 0; d = 0; q%a = 0; al = 0; c = ""
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  if (any(seen /= [6, 12, 18])) error stop "wrong"
end program
