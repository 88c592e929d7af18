// Dependences kept in an object.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int x;

int main(void) {
  omp_depend_t writes, reads;
#pragma omp depobj(writes) depend(out : x)
#pragma omp depobj(reads) depend(in : x)
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(depobj : writes)
    x = 1;
#pragma omp task depend(depobj : reads)
    assert(x == 1);
#pragma omp task depend(depobj : reads)
    assert(x == 1);
  }
#pragma omp depobj(writes) destroy
#pragma omp depobj(reads) destroy
  return 0;
}
