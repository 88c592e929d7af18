// The single allocates for all threads: its thread's own share of the loop is judged like the others.
// expect: race
#include <stdlib.h>
#define N 40
int *p;

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    p = calloc(N, sizeof *p);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      if (i == 4)
        p[i + 1] = 1; //~ race p[] #1
      else if (i == 5)
        p[i] = 2; //~ race p[] #1
  }
  free(p);
  return 0;
}
