// A local of the encountering function is shared by default.
// expect: race
#include <omp.h>

int got[2];

int main(void) {
  int x = 0;
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num();
    if (me == 0)
      x = 1; //~ race x #1
    else
      got[me] = x; //~ race x #1
  }
  return x - 1;
}
