// A sum of a loop.
// expect: race
// advice: reduction atomic
// prints: 4950
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 100; i++)
    sum += i; //~ race sum #1
  printf("%ld\n", sum);
  return 0;
}
