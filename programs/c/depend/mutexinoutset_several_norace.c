// A task may be a member of two sets, and excludes the members of both.
// expect: race-free observed-schedule
#include <assert.h>

int a, b;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(mutexinoutset : a)
    a += 1;
#pragma omp task depend(mutexinoutset : a, b)
    {
      a += 2;
      b += 2;
    }
#pragma omp task depend(mutexinoutset : b)
    b += 1;
  }
  assert(a == 3 && b == 3);
  return 0;
}
