// The first use of a thread's own buffer is in a single or a section; another thread would have used its own.
// expect: race-free all-schedules
#include <assert.h>
#include <stdlib.h>
#define N 40
static _Thread_local int *own;
int a[N];

static int *buffer(void) {
  if (!own)
    own = calloc(4, sizeof *own);
  return own;
}

int main(void) {
#pragma omp parallel
  {
#pragma omp single
    buffer()[0] = 1;
#pragma omp sections
    {
#pragma omp section
      buffer()[1] = 1;
#pragma omp section
      buffer()[1] = 2;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
      buffer()[2] = i;
      a[i] = buffer()[2];
    }
    free(own);
  }
  assert(a[N - 1] == N - 1);
  return 0;
}
