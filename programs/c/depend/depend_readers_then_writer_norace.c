// The writer waits for all readers before it.
// expect: race-free all-schedules
#include <assert.h>

int x = 1, seen[4];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : x)
      seen[i] = x;
    }
#pragma omp task depend(out : x)
    x = 2;
  }
  assert(seen[0] + seen[1] + seen[2] + seen[3] == 4 && x == 2);
  return 0;
}
