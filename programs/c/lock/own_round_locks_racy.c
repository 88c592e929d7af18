// A function of the program's own that clang takes for an instruction, and that gives a lock back.
// expect: race
#include <omp.h>

omp_lock_t lock;
int x;

__attribute__((noinline)) double round(double value) {
  omp_unset_lock(&lock);
  return value + 1;
}

int main(void) {
  volatile double value = 1;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    x = 1; //~ race x #1
    value = round(value);
    x = 2; //~ race x #1 race x #2
  }
  return 0;
}
