! A program in the fixed form, with a continued directive.
! expect: race
      program fixed
      integer i, n
      integer a(0:9)
      n = 0
!$omp parallel do
!$omp& schedule(static, 2)
      do 10 i = 1, 10
c$omp atomic
        n = n + 1 !~ race n #1
        a(i - 1) = n !~ race n #1
   10 continue
      print *, a
      end
