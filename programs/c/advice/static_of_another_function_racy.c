// A static variable that is out of sight of the directive: no clause can name it.
// expect: race
// advice: atomic
// prints: 4
#include <stdio.h>
int count(int add) {
  static int calls;
  calls += add; //~ race calls #1
#pragma omp barrier
  return calls;
}

int main(void) {
  int all = 0;
#pragma omp parallel num_threads(4) reduction(max : all)
  all = count(1);
  printf("%d\n", all);
  return 0;
}
