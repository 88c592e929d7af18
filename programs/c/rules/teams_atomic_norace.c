// Atomic updates exclude each other across teams.
// expect: race-free
#include <assert.h>

int x;

int main(void) {
#pragma omp teams num_teams(2)
  {
#pragma omp atomic
    x++;
  }
  assert(x >= 1);
  return 0;
}
