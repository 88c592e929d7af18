// What the team's own threads have written is there after the loop, in the team's own array.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int main(void) {
#pragma omp teams
  {
    int a[N] = {0}, sum = 0;
#pragma omp distribute parallel for
    for (int i = 0; i < N; i++)
      a[i] = 1;
    for (int i = 0; i < N; i++)
      sum += a[i];
    assert(sum <= N);
  }
  return 0;
}
