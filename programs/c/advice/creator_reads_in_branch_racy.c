// The waiting needs a block of its own, where the access is a branch without braces.
// expect: race
// advice: taskwait
// prints: 4
#include <stdio.h>
int x, y;

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    x = 4; //~ race x #1
    if (argc > 0)
      y = x; //~ race x #1
  }
  printf("%d\n", y);
  return 0;
}
