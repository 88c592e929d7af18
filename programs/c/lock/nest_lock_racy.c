// The inner release gives back one level; the outer one ends the protection.
// expect: race
#include <omp.h>

omp_nest_lock_t lock;
int total, seen[2];

int main(void) {
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    total++; //~ race total #1
    omp_unset_nest_lock(&lock);
    seen[omp_get_thread_num()] = total; //~ race total #1
  }
  omp_destroy_nest_lock(&lock);
  return 0;
}
