// Teams, and threads within them, over a target region with a reduction.
// expect: race-free all-schedules
#include <assert.h>
#define N 24

int a[N];

int main(void) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : a, sum) reduction(+ : sum) num_teams(2)
  for (int i = 0; i < N; i++) {
    a[i] = i;
    sum += i;
  }
  assert(a[N - 1] == N - 1 && sum == N * (N - 1) / 2);
  return 0;
}
