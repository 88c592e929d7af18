// A member of a structure: no clause takes it.
// expect: race
// advice: atomic
// prints: 10
#include <stdio.h>
struct {
  int all, odd;
} count;

int main(void) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 10; i++)
    count.all++; //~ race count.all #1
  printf("%d\n", count.all);
  return 0;
}
