// The wait is missing.
// expect: race
#include <alloca.h>

int result;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int *part = alloca(sizeof(int) * 4);
    part[3] = 0;
#pragma omp task
    part[3] = 5; //~ race part[] #1
    result = part[3]; //~ race part[] #1
#pragma omp taskwait
  }
  return 0;
}
