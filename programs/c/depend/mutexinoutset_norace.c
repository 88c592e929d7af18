// Members of the set exclude each other; the reader after them waits for all.
// expect: race-free observed-schedule
#include <assert.h>

int sum;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : sum)
    sum = 1;
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(mutexinoutset : sum)
      sum += i;
    }
#pragma omp task depend(in : sum)
    assert(sum == 11);
  }
  return 0;
}
