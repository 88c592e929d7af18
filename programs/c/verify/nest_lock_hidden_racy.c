// The same with a nestable lock, taken twice by whoever holds it.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
omp_nest_lock_t lock;
int came, result;

static int ticket(void) {
  omp_set_nest_lock(&lock);
  int mine = came++;
  omp_unset_nest_lock(&lock);
  return mine;
}

int main(void) {
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock);
    int mine = ticket();
    omp_unset_nest_lock(&lock);
    if (omp_get_thread_num() == 0)
      result = mine; //~ race result #1
    else if (mine == 0)
      result = 7; //~ race result #1
  }
  return 0;
}
