// Chunks create tasks that use variables of the chunk's iteration and wait for them; others are waited for after the loop.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int a[N], b[N];

int main(void) {
#pragma omp parallel
  {
    int own = 0;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < N; i++) {
      int half = 0;
#pragma omp task shared(half)
      half = i / 2;
#pragma omp taskwait
      a[i] = half;
      own += half;
#pragma omp task
      b[i] = a[i] + 1;
    }
#pragma omp taskwait
#pragma omp barrier
    assert(own >= 0);
  }
  for (int i = 0; i < N; i++)
    assert(b[i] == i / 2 + 1);
  return 0;
}
