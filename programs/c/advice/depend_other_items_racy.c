// Sections that overlap without being the same do not order the tasks; another `depend` beside them would not be allowed.
// expect: race
// advice: taskwait
// prints: 3
#include <stdio.h>
int a[4];

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a[0 : 2])
    a[1] = 3; //~ race a[] #1
#pragma omp task depend(in : a[1 : 2]) shared(sum)
    sum = a[1] + a[2]; //~ race a[] #1
  }
  printf("%d\n", sum);
  return 0;
}
