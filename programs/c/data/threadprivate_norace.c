// Every thread has its own copy, kept from one region to the next.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int mine;
#pragma omp threadprivate(mine)

int main(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(4)
  mine = omp_get_thread_num();
#pragma omp parallel num_threads(4)
  {
    mine += 10;
    assert(mine == omp_get_thread_num() + 10);
  }
  return 0;
}
