// The successor of a detached task starts after the event, so after what came before the event.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int x, token;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : token)
    token = 1;
#pragma omp task firstprivate(event)
    {
      x = 2;
      omp_fulfill_event(event);
    }
#pragma omp task depend(in : token)
    assert(x == 2);
  }
  return 0;
}
