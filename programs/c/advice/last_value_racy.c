// A value that is needed after the loop.
// expect: race
// advice: lastprivate
// prints: 9
#include <stdio.h>
int last;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 10; i++)
    last = i; //~ race last #1
  printf("%d\n", last);
  return 0;
}
