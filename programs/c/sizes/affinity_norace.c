// Two static loops of as many iterations give the same iteration to the same thread.
// expect: race-free all-schedules
#include <assert.h>
#define N 40
int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = a[i];
  }
  assert(b[N - 1] == N - 1);
  return 0;
}
