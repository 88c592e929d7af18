// One update under a lock and one without.
// expect: race
// advice: lock-too
// prints: 5
#include <stdio.h>
#include <omp.h>

omp_lock_t guard;
int count;

int main(void) {
  omp_init_lock(&guard);
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    {
      omp_set_lock(&guard);
      count += 2; //~ race count #1
      omp_unset_lock(&guard);
    }
#pragma omp section
    count += 3; //~ race count #1
  }
  omp_destroy_lock(&guard);
  printf("%d\n", count);
  return 0;
}
