// The wait is missing.
// expect: race
#include <alloca.h>

int result;

__attribute__((noinline)) static int last(const int *part) {
  return part[3]; //~ race part[] #1
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int *part = alloca(sizeof(int) * 4);
    part[3] = 0;
#pragma omp task
    part[3] = 5; //~ race part[] #1
    result = last(part);
#pragma omp taskwait
  }
  return 0;
}
