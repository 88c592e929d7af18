// Iterations of one block of a chunk size are one thread's for every size of the team.
// expect: race-free all-schedules
#include <assert.h>
#define N 64
int a[N];

int main(void) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < N; i++)
    a[i] = i % 4 ? a[i - 1] + 1 : 0;
  assert(a[N - 1] == 3);
  return 0;
}
