// The iterations of one chunk belong to one team, which executes them in their order.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int a[N];

int main(void) {
#pragma omp teams distribute dist_schedule(static, 4)
  for (int i = 0; i < N; i++)
    a[i] = i % 4 ? a[i - 1] + 1 : 0;
  for (int i = 0; i < N; i++)
    assert(a[i] == i % 4);
  return 0;
}
