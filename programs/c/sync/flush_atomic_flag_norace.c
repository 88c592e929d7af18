// A relaxed atomic flag with flushes on both sides orders the data.
// expect: race-free observed-schedule
#include <assert.h>

int data, flag;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 42;
#pragma omp flush
#pragma omp atomic write
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read
        seen = flag;
      }
#pragma omp flush
      assert(data == 42);
    }
  }
  return 0;
}
