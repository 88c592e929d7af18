// An atomic update does not protect itself from a plain one.
// expect: race
// advice: atomic-too
// prints: 5
#include <stdio.h>
int count;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
#pragma omp atomic
      count += 2; //~ race count #1
    }
#pragma omp section
    count += 3; //~ race count #1
  }
  printf("%d\n", count);
  return 0;
}
