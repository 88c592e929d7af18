// OMP_MAX_ACTIVE_LEVELS lets inner regions have teams.
// expect: race
// env: OMP_MAX_ACTIVE_LEVELS=2
#include <omp.h>

int inner[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    inner[own]++; //~ race inner[] #1
  }
  return 0;
}
