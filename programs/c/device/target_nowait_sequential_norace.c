// Outside of parallel regions: dependences, a taskwait and a barrier join target tasks, and these have thread-local storage of their own.
// expect: race-free all-schedules
#include <assert.h>

int x, y, z;
static int own;
#pragma omp threadprivate(own)

int main(void) {
  own = 5;
#pragma omp target nowait map(tofrom : x) depend(out : x)
  x = 1;
#pragma omp task depend(inout : x)
  x = 2;
#pragma omp target nowait map(tofrom : x) depend(inout : x)
  x += 3;
#pragma omp target nowait map(tofrom : y)
  y = 1;
  own++;
#pragma omp taskwait
  assert(x == 5 && y == 1);
#pragma omp target nowait map(tofrom : z)
  z = 4;
#pragma omp barrier
  assert(z == 4 && own == 6);
  return 0;
}
