// A loop that is cancelled: what its threads do afterwards is ordered as ever.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#define N 50

int a[N], after;

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
      a[i] = 1;
      if (i == 7) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp single
    after = a[7];
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < N; i++)
      a[i] = after;
  }
  for (int i = 0; i < N; i++)
    assert(a[i] == 1);
  return 0;
}
