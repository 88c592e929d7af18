// With nowait the last value may be written while another thread reads the variable.
// expect: race
#include <omp.h>
#define N 40

int last, seen[4];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for lastprivate(last) nowait //~ race last #1
    for (int i = 0; i < N; i++)
      last = i;
    seen[omp_get_thread_num()] = last; //~ race last #1
  }
  return 0;
}
