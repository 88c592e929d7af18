// With nowait the other threads do not wait for the single, nor for the team it has created.
// expect: race
#include <omp.h>
#define N 6

int a[N], b[N];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp single nowait
    {
#pragma omp parallel for
      for (int i = 0; i < N; i++)
        a[i] = i; //~ race a[] #1
    }
#pragma omp for
    for (int i = 0; i < N; i++)
      b[i] = a[i]; //~ race a[] #1
  }
  return 0;
}
