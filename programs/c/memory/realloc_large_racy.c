// A large block, accessed here and there before, grows or moves while other tasks use it: one by its old address before that, one by its new one after it.
// expect: race
#include <stdlib.h>
#define SIZE (64l << 20)

char copy;

int main(void) {
  char *block = malloc(SIZE), *grown = 0;
  block[SIZE / 3] = 1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    block[SIZE / 2 + 4095] = 1; //~ race block[] #1
#pragma omp task shared(grown)
    {
      char *new = realloc(block, 2 * SIZE); //~ race block[] #1 #2
#pragma omp atomic write relaxed
      grown = new;
    }
#pragma omp task shared(grown)
    {
      char *new;
#pragma omp atomic read relaxed
      new = grown;
      copy = new[SIZE / 3]; //~ race block[] #2
    }
  }
  free(grown);
  return 0;
}
