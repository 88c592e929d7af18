! Polymorphic objects, elemental functions, block, associate and where.
! expect: race-free all-schedules
module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(area_of), deferred :: area
  end type
  abstract interface
    real function area_of(this)
      import shape
      class(shape), intent(in) :: this
    end function
  end interface
  type, extends(shape) :: square
    real :: side
  contains
    procedure :: area => square_area
  end type
contains
  real function square_area(this)
    class(square), intent(in) :: this
    square_area = this%side ** 2
  end function
  elemental real function twice(x)
    real, intent(in) :: x
    twice = 2 * x
  end function
  function list(n) result(l)
    integer, intent(in) :: n
    integer, allocatable :: l(:)
    integer :: k
    l = [(k * k, k = 1, n)]
  end function
end module
program polymorphic_block
  use shapes
  implicit none
  class(shape), allocatable :: s
  real :: r(8), v(8)
  integer :: i
  character(len=20) :: line
  allocate(square :: s)
  select type (s)
  type is (square)
    s%side = 3
  end select
  v = 1
  !$omp parallel do private(line)
  do i = 1, 8
    block
      real :: t
      t = s%area()
      associate (w => v(i))
        w = twice(t)
      end associate
    end block
    write (line, *) i
    read (line, *) r(i)
    r(i) = r(i) + sum(list(3))
    where (v(i:i) > 10) v(i:i) = 0.5
  end do
  if (any(v /= 0.5) .or. r(8) /= 22) error stop "wrong"
end program
