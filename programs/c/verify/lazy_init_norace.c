// Initialisation by whoever comes first, every look under the lock.
// expect: race-free all-schedules
// run: race-free
// executions: 2
// twin: examples/lazy_init
#include <assert.h>
int ready, data;

static int fetch(void) {
  int value;
#pragma omp critical
  {
    if (!ready) {
      data = 42;
      ready = 1;
    }
    value = data;
  }
  return value;
}

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    assert(fetch() == 42);
#pragma omp section
    assert(fetch() == 42);
  }
  return 0;
}
