// A group joins the tasks created in it and all their descendants.
// expect: race-free all-schedules
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        {
#pragma omp task
          x = 1;
        }
      }
    }
    assert(x == 1);
  }
  return 0;
}
