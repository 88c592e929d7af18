// What is done after the event is fulfilled is not waited for.
// expect: race
#include <omp.h>

int x, y, token;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : token)
    token = 1;
#pragma omp task firstprivate(event)
    {
      omp_fulfill_event(event);
      x = 2; //~ race x #1
    }
#pragma omp task depend(in : token)
    y = x; //~ race x #1
  }
  return 0;
}
