// taskwait does not wait for tasks of other creators.
// expect: race
#include <omp.h>

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task
      x = 1; //~ race x #1
    } else {
#pragma omp taskwait
      y = x; //~ race x #1
    }
  }
  return 0;
}
