// Two chunks of a static schedule that is chosen at run time are on two threads.
// expect: race
#include <omp.h>
#define N 32

int sums[N / 8];

int main(void) {
  omp_set_schedule(omp_sched_static, 4);
#pragma omp parallel for schedule(runtime) num_threads(3)
  for (int i = 0; i < N; i++)
    sums[i / 8] += i; //~ race sums[] #1
  return 0;
}
