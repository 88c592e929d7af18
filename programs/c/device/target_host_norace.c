// Without a device the region runs on the host, and its creator waits for it; the loop after it is what makes the
// program one to judge.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int main(void) {
  int x = 1, a[8] = {0};
#pragma omp target map(tofrom : x, a)
  {
    x += 1;
    for (int i = 0; i < 8; i++)
      a[i] = i;
  }
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 8; i++)
    a[i] += x - 2;
  assert(x == 2 && a[7] == 7 && omp_is_initial_device());
  return 0;
}
