// The last value of a distributed loop is there when the teams region has ended.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int main(void) {
  int last = -1;
#pragma omp teams distribute lastprivate(last)
  for (int i = 0; i < N; i++)
    last = i;
  assert(last == N - 1);
  return 0;
}
