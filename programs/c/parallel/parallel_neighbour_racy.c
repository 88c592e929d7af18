// Every thread writes its element and reads that of its neighbour, with nothing between.
// expect: race
#include <omp.h>

int a[4], b[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int me = omp_get_thread_num();
    a[me] = me;              //~ race a[] #1
    b[me] = a[(me + 1) % 4]; //~ race a[] #1
  }
  return 0;
}
