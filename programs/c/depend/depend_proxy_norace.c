// The variable named need not be the one used: it stands for it.
// expect: race-free all-schedules
#include <assert.h>

char token;
int a[4];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : token)
    for (int i = 0; i < 4; i++)
      a[i] = i;
#pragma omp task depend(inout : token)
    for (int i = 0; i < 4; i++)
      a[i] *= 2;
#pragma omp task depend(in : token)
    assert(a[3] == 6);
  }
  return 0;
}
