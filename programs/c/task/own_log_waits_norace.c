// A function of the program's own that has the name of one of the C library's, and waits.
// expect: race-free all-schedules
#include <assert.h>

int x[8], sum;
double two = 2, none;

__attribute__((noinline)) double log(double value) {
#pragma omp taskwait
  return value + none;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    for (int i = 0; i < 8; i++)
      x[i] = i;
    double value = two;
    for (int i = 0; i < 8; i++) {
      value = log(value);
      sum += x[i];
    }
    two = value;
  }
  assert(sum == 28 && two == 2);
  return 0;
}
