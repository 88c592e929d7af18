// One update in a critical section and one outside.
// expect: race
// advice: critical-too
// prints: 8
#include <stdio.h>
int count;

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp critical(counting)
    count++;
#pragma omp barrier
#pragma omp critical(counting)
    count += 0;
  }
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp critical(counting)
      count += 2; //~ race count #1
    }
#pragma omp section
    count += 2; //~ race count #1
  }
  printf("%d\n", count);
  return 0;
}
