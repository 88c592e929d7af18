// Tasks of a cancelled group that have not started are dropped; the group's end joins the rest.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>
#define N 10

int done[N], sum;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < N; i++) {
#pragma omp task
      {
#pragma omp cancellation point taskgroup
        done[i] = 1;
        if (i == 3) {
#pragma omp cancel taskgroup
        }
      }
    }
    for (int i = 0; i < N; i++)
      sum += done[i];
    assert(sum <= N);
  }
  return 0;
}
