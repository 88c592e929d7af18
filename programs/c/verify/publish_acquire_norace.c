// Initialised once, with C11 atomics: an acquire is the fast path, a critical section the slow one.
// expect: race-free all-schedules
// run: race-free
// executions: 4
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
        data = 42;
        atomic_store_explicit(&ready, 1, memory_order_release);
      }
    }
    out[omp_get_thread_num()] = data;
  }
  return out[0] != 42 || out[1] != 42;
}
