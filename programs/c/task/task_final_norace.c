// Inside a final task every task is included: it runs at once, in order.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int x;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task final(1)
    {
      assert(omp_in_final());
#pragma omp task
      x = 1;
#pragma omp task
      x += 2;
      assert(x == 3);
    }
  }
  return 0;
}
