// Cells chosen by the number of the thread.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 100

int counts[64];

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < N; i++)
    counts[omp_get_thread_num()]++;
  int all = 0;
  for (int t = 0; t < 64; t++)
    all += counts[t];
  assert(all == N);
  return 0;
}
