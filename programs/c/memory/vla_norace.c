// A variable-length array shared with tasks, and one in every task.
// expect: race-free all-schedules
#include <assert.h>

static int total(int n) {
  int parts[n], sum = 0;
  for (int t = 0; t < n; t++) {
#pragma omp task shared(parts)
    {
      int own[t + 1];
      for (int i = 0; i <= t; i++)
        own[i] = i;
      parts[t] = own[t];
    }
  }
#pragma omp taskwait
  for (int t = 0; t < n; t++)
    sum += parts[t];
  return sum;
}

int main(void) {
  int got = 0;
#pragma omp parallel
#pragma omp single
  got = total(7);
  assert(got == 21);
  return 0;
}
