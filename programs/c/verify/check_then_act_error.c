// One seat: two look whether it is free, and then take it, in sections of their own.
// expect: program-error
// run: race-free
// executions: 4
// message: assertion failed: seats >= 0
#include <assert.h>
int seats = 1;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int is_free;
#pragma omp critical
    is_free = seats > 0;
    if (is_free) {
#pragma omp critical
      {
        seats--;
        assert(seats >= 0);
      }
    }
  }
  return 0;
}
