// The first phase is closed by a barrier, the second is not.
// expect: race
#include <omp.h>

int a[4], b[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    a[me] = me;
#pragma omp barrier
    b[me] = a[(me + 1) % 4]; //~ race a[] #1
    a[me] = 0;               //~ race a[] #1
  }
  return 0;
}
