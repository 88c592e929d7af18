// A threadprivate object with a constructor.
// expect: race-free all-schedules
#include <cassert>
#include <omp.h>

struct Counter {
  Counter() : value(3) {}
  int value;
};

Counter counter;
#pragma omp threadprivate(counter)

int main() {
#pragma omp parallel num_threads(4)
  {
    counter.value += omp_get_thread_num();
    assert(counter.value == 3 + omp_get_thread_num());
  }
  return 0;
}
