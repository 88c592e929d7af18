// Fields of different sizes side by side in one word.
// expect: race-free all-schedules
#include <assert.h>

struct {
  short a;
  char b, c;
  int d;
} s;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    s.a = 1;
#pragma omp task
    s.b = 2;
#pragma omp task
    s.c = 3;
#pragma omp task
    s.d = 4;
#pragma omp taskwait
    assert(s.a + s.b + s.c + s.d == 10);
  }
  return 0;
}
