// A C11 thread-local variable is one for each thread of the team.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

_Thread_local int mine = 5;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    assert(mine == 5);
    mine += omp_get_thread_num();
#pragma omp barrier
    assert(mine == 5 + omp_get_thread_num());
  }
  return 0;
}
