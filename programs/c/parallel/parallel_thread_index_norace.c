// Every thread writes the element of its own number.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int a[4];

int main(void) {
#pragma omp parallel num_threads(4)
  a[omp_get_thread_num()] = omp_get_num_threads();
  for (int i = 0; i < 4; i++)
    assert(a[i] == 4);
  return 0;
}
