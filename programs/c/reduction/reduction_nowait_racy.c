// With nowait the variable is complete only after a barrier.
// expect: race
#include <omp.h>
#define N 40

int sum, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for reduction(+ : sum) nowait //~ race sum #1
    for (int i = 0; i < N; i++)
      sum += i;
    seen[omp_get_thread_num()] = sum; //~ race sum #1
  }
  return 0;
}
