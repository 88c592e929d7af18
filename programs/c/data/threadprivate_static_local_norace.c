// A static of a function is shared unless it is threadprivate.
// expect: race-free all-schedules
#include <assert.h>

static int ticket(void) {
  static int next;
#pragma omp threadprivate(next)
  return next++;
}

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int first = ticket();
    assert(ticket() == first + 1);
  }
  return 0;
}
