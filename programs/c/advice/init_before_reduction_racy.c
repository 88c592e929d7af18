// Every thread sets the sum before the loop adds to it: the threads have to wait, and an atomic would hide that.
// expect: race
// advice: single barrier
// prints: 45
#include <stdio.h>
int sum;

int main(void) {
#pragma omp parallel num_threads(4)
  {
    sum = 0; //~ race sum #1 #2
#pragma omp for reduction(+ : sum) //~ race sum #2
    for (int i = 0; i < 10; i++)
      sum += i;
  }
  printf("%d\n", sum);
  return 0;
}
