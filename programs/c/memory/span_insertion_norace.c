// Elements are inserted into sorted ones, in tasks: one stops in between, one at the beginning, one where it started.
// expect: race-free all-schedules
#include <assert.h>

static int a[12] = {0, 10, 20, 30, 40, 50, 60, 70}, b[12] = {5, 15, 25, 35}, c[12] = {0, 1, 2, 3};

static void insert(int *low, int *at, int value) {
  for (; at > low && at[-1] > value; at--)
    *at = at[-1];
  *at = value;
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    insert(a + 1, a + 8, 25);
#pragma omp task
    insert(b + 1, b + 4, 6);
#pragma omp task
    insert(c + 1, c + 4, 9);
#pragma omp task
    a[0] = a[1] = a[9] = b[0] = b[5] = c[0] = c[2] = c[5] = 1;
  }
  assert(a[3] == 25 && a[2] == 20 && a[4] == 30 && a[8] == 70 && b[1] == 6 && b[2] == 15 && b[4] == 35 && c[4] == 9);
  return 0;
}
