// A function of the program's own that clang takes for an instruction, and that gives a lock back.
// expect: race
#include <omp.h>

omp_lock_t lock;
int x;
double value = 1, one = 1;

__attribute__((noinline)) double round(double number) {
  omp_unset_lock(&lock);
  return number + one;
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    x = 1; //~ race x #1
    double own = round(value);
    x = own > 0; //~ race x #1 race? x #2
  }
  return 0;
}
