// The inner regions of two outer iterations write the same column.
// expect: race
#include <omp.h>
#define N 6

int column[N];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#pragma omp parallel for
    for (int j = 0; j < N; j++)
      column[j] = i; //~ race column[] #1
  }
  return 0;
}
