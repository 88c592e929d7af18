// With one thread there is nobody else to take a chunk; the other region is what makes the program one to judge.
// expect: race-free all-schedules
#include <assert.h>
#define N 20

int sum;
int twice[N];

int main(void) {
#pragma omp parallel for schedule(dynamic) num_threads(1)
  for (int i = 0; i < N; i++)
    sum += i;
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    twice[i] = 2 * i;
  assert(sum == N * (N - 1) / 2 && twice[1] == 2);
  return 0;
}
