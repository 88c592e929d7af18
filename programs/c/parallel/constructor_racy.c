// A region in a constructor, one in a destructor and one in an exit handler.
// expect: race
#include <stdlib.h>

int x, y, z;

__attribute__((constructor)) static void before(void) {
#pragma omp parallel
  x++; //~ race x #1
}

__attribute__((destructor)) static void after(void) {
#pragma omp parallel
  y++; //~ race y #2
}

static void at_exit(void) {
#pragma omp parallel
  z++; //~ race z #3
}

int main(void) {
  atexit(at_exit);
  return 0;
}
