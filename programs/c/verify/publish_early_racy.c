// The same, but the flag is set before the data: a thread that sees it reads too early.
// expect: race
// run: race
// executions: 1
#include <omp.h>
#include <stdatomic.h>
atomic_int ready;
int data, out[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
#pragma omp critical
      if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_store_explicit(&ready, 1, memory_order_release);
        data = 42; //~ race data #1
      }
    }
    out[omp_get_thread_num()] = data; //~ race data #1
  }
  return 0;
}
