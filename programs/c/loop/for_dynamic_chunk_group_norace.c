// A chunk of four is run by one thread, in order: its iterations may share an element.
// expect: race-free all-schedules
#include <assert.h>
#define N 40

int group[N / 4];

int main(void) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < N; i++)
    group[i / 4] += i;
  int sum = 0;
  for (int g = 0; g < N / 4; g++)
    sum += group[g];
  assert(sum == N * (N - 1) / 2);
  return 0;
}
