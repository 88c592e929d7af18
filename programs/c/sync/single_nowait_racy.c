// With nowait the others do not wait for the one that writes.
// expect: race
#include <omp.h>

int x, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single nowait
    x = 42; //~ race x #1
    seen[omp_get_thread_num()] = x; //~ race x #1
  }
  return 0;
}
