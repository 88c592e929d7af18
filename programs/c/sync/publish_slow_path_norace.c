// Initialised once: who sees the flag by an acquire goes on, the others look again in a critical section.
// expect: race-free observed-schedule
#include <assert.h>
#include <omp.h>

int ready, data, out[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int is_ready;
#pragma omp atomic read seq_cst
    is_ready = ready;
    if (!is_ready) {
#pragma omp critical
      {
#pragma omp atomic read
        is_ready = ready;
        if (!is_ready) {
          data = 42;
#pragma omp atomic write seq_cst
          ready = 1;
        }
      }
    }
    out[omp_get_thread_num()] = data;
  }
  for (int i = 0; i < 4; i++)
    assert(out[i] == 42);
  return 0;
}
