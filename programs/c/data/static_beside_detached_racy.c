// Only main writes it, but a detached task is not run at once where it is created, even by a team of one.
// expect: race
#include <omp.h>

static int limit;
int seen;

int main(int argc, char **argv) {
  (void)argv;
  omp_event_handle_t event;
  limit = argc;
#pragma omp task detach(event)
  seen = limit; //~ race limit #1
  limit = 5; //~ race limit #1
  omp_fulfill_event(event);
#pragma omp taskwait
  return limit - 5;
}
