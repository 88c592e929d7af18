// The primary thread allocates for all threads: a later single of the same thread is judged like any other's.
// expect: race
#include <stdlib.h>
#define N 40
int *p, x;

int main(void) {
#pragma omp parallel
  {
#pragma omp master
    p = calloc(N, sizeof *p);
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; i++)
      p[i] = i; //~ race p[] #1
#pragma omp single
    x = p[4]; //~ race p[] #1
  }
  free(p);
  return 0;
}
