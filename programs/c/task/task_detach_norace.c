// A detached task is complete when its event is fulfilled: the wait covers both.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int x, y;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    x = 1;
#pragma omp task firstprivate(event)
    {
      y = 2;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    assert(x + y == 3);
  }
  return 0;
}
