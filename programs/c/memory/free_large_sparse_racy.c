// Two tasks access a large block here and there, on either side of where nobody has been, while another frees it.
// expect: race
#include <stdlib.h>
#define SIZE (64l << 20)

int main(void) {
  char *block = malloc(SIZE);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    block[5] = 1; //~ race block[] #1
#pragma omp task
    block[SIZE / 2 + 4095] = 1; //~ race block[] #2
#pragma omp task
    free(block); //~ race block[] #1 #2
  }
  return 0;
}
