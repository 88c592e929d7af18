// Three philosophers; everyone takes the left spoon first.
// expect: deadlock
// run: race-free
// executions: 7
// twin: examples/philosophers_deadlock
#include <omp.h>
omp_lock_t spoon[3];
int meals[3];

int main(void) {
  for (int i = 0; i < 3; i++)
    omp_init_lock(&spoon[i]);
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num();
    omp_set_lock(&spoon[me]);
    omp_set_lock(&spoon[(me + 1) % 3]);
    meals[me]++;
    omp_unset_lock(&spoon[(me + 1) % 3]);
    omp_unset_lock(&spoon[me]);
  }
  return 0;
}
