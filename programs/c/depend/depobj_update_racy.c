// The object says out, until it is updated to say in.
// expect: race
#include <omp.h>

int x, y;

int main(void) {
  omp_depend_t use;
#pragma omp depobj(use) depend(out : x)
#pragma omp depobj(use) update(in)
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(depobj : use)
    x = 1; //~ race x #1
#pragma omp task depend(in : x)
    y = x; //~ race x #1
  }
#pragma omp depobj(use) destroy
  return 0;
}
