// With nowait a thread without a section goes on before the sections are done.
// expect: race
#include <omp.h>

int x, y, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp sections nowait
    {
#pragma omp section
      x = 1; //~ race x #1
#pragma omp section
      y = 2;
    }
    seen[omp_get_thread_num()] = x; //~ race x #1
  }
  return 0;
}
