// A search that stops when it has found something; the result is set in a critical region.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#include <omp.h>
#define N 40

int a[N], found = -1;

int main(void) {
  assert(omp_get_cancellation());
  a[25] = 1;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
      if (a[i]) {
#pragma omp critical
        found = i;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
  }
  assert(found == 25);
  return 0;
}
