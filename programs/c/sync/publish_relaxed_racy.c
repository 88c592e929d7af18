// The same, but the look outside of the critical section does not acquire.
// expect: race
// threads: 4
#include <omp.h>

int ready, data, out[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int is_ready;
#pragma omp atomic read
    is_ready = ready;
    if (!is_ready) {
#pragma omp critical
      {
#pragma omp atomic read
        is_ready = ready;
        if (!is_ready) {
          data = 42; //~ race data #1
#pragma omp atomic write
          ready = 1;
        }
      }
    }
    out[omp_get_thread_num()] = data; //~ race data #1
  }
  return 0;
}
