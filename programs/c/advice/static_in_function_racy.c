// A static variable of a function has a name that clauses take only where it is in sight.
// expect: race
// advice: reduction atomic
// prints: 4
#include <stdio.h>
int main(void) {
  static int calls;
#pragma omp parallel num_threads(4)
  calls++; //~ race calls #1
  printf("%d\n", calls);
  return 0;
}
