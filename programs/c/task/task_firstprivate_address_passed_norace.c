// A function is given the address of the task's copy, and of another task's copy another time.
// expect: race-free all-schedules
#include <assert.h>

int before = 3, after[4];

__attribute__((noinline)) static void spawn(int *p) {
#pragma omp task
  *p += 1;
}

int main(void) {
  int x = before;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(x)
    {
      x += i;
      spawn(&x);
#pragma omp taskwait
      after[i] = x;
    }
  }
  for (int i = 0; i < 4; i++)
    assert(after[i] == 4 + i);
  return 0;
}
