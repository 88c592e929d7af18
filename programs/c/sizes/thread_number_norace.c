// What a thread chooses by its number is its own, for the size that ran.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>
#define N 64
int sums[256], a[N];

int main(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
      a[i] = 1;
      sums[me] += a[i];
    }
  }
  int all = 0;
  for (int i = 0; i < 256; i++)
    all += sums[i];
  assert(all == N);
  return 0;
}
