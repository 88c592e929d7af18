// Iterations without an ordered region let the others pass; those that have one keep their order.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int last = -1, rounds;

int main(void) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < N; i++) {
    if (i % 3 == 0) {
#pragma omp ordered
      {
        assert(last < i);
        last = i;
        rounds++;
      }
    }
  }
  assert(rounds == 4);
  return 0;
}
