// A release store and an acquire load that sees it order what is around them.
// expect: race-free observed-schedule
#include <assert.h>

int data, flag;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 42;
#pragma omp atomic write release
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read acquire
        seen = flag;
      }
      assert(data == 42);
    }
  }
  return 0;
}
