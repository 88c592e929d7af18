// The test is made outside, the update inside: the double check without atomics.
// expect: race
#include <stdlib.h>

int *table;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (table == NULL) { //~ race table #1
#pragma omp critical
      if (table == NULL)
        table = calloc(4, sizeof *table); //~ race table #1
    }
  }
  free(table);
  return 0;
}
