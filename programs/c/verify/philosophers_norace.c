// Three philosophers; everyone takes the spoon with the lower number first.
// expect: race-free all-schedules
// run: race-free
// executions: 4
// twin: examples/philosophers
#include <omp.h>
omp_lock_t spoon[3];
int meals[3];

int main(void) {
  for (int i = 0; i < 3; i++)
    omp_init_lock(&spoon[i]);
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num();
    int low = me == 2 ? 0 : me, high = me == 2 ? 2 : me + 1;
    omp_set_lock(&spoon[low]);
    omp_set_lock(&spoon[high]);
    meals[me]++;
    omp_unset_lock(&spoon[high]);
    omp_unset_lock(&spoon[low]);
  }
  return 0;
}
