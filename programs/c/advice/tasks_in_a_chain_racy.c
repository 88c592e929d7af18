// Tasks of one loop, each of which needs the one before.
// expect: race
// advice: depend critical
// prints: 31
#include <stdio.h>
int x = 1;

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    x = x * 2 + 1; //~ race x #1
  }
  printf("%d\n", x);
  return 0;
}
