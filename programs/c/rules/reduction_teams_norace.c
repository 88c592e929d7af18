// A reduction over the teams of a league is complete at the end of the teams region.
// expect: race-free all-schedules
#include <assert.h>
#define N 12

int main(void) {
  int sum = 0;
#pragma omp teams distribute reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += i;
  assert(sum == 66);
  return 0;
}
