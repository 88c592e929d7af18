// Critical sections of two names do not exclude each other.
// expect: race
// advice: same-critical
// prints: 5
#include <stdio.h>
int count;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp critical(one)
      count += 2; //~ race count #1
    }
#pragma omp section
    {
#pragma omp critical(other)
      count += 3; //~ race count #1
    }
  }
  printf("%d\n", count);
  return 0;
}
