// A cancelled sections construct: the code after its barrier sees what was done.
// expect: race-free observed-schedule
// env: OMP_CANCELLATION=true
#include <assert.h>

int first, second;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      {
        first = 1;
#pragma omp cancel sections
      }
#pragma omp section
      {
#pragma omp cancellation point sections
        second = 1;
      }
    }
    assert(first == 1 || second == 1);
  }
  return 0;
}
