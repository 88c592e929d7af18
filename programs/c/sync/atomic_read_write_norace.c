// One thread writes and others read, all atomically.
// expect: race-free observed-schedule
#include <assert.h>

int x;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    int seen;
#pragma omp single nowait
    {
#pragma omp atomic write
      x = 3;
    }
#pragma omp atomic read
    seen = x;
    assert(seen == 0 || seen == 3);
  }
  return 0;
}
