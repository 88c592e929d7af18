// The event of a detached task is never fulfilled.
// expect: deadlock
#include <omp.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    x = 1;
#pragma omp taskwait
    x = 2;
  }
  return 0;
}
