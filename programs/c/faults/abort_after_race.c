// What was found before the program aborted is reported.
// expect: race
// message: abort
#include <stdlib.h>

int x;

int main(void) {
#pragma omp parallel num_threads(2)
  x++; //~ race x #1
  abort();
}
