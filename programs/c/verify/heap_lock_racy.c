// The lock and what it protects are a block; its owner hands it on and forgets that it is no longer alone.
// expect: race
// run: race-free
// executions: 2
#include <omp.h>
#include <stdlib.h>
struct account {
  omp_lock_t lock;
  int balance;
} *shared;

int main(void) {
  struct account *own = malloc(sizeof *own);
  omp_init_lock(&own->lock);
  own->balance = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      struct account *other;
#pragma omp critical
      other = shared;
      if (other) {
        omp_set_lock(&other->lock);
        other->balance = 1; //~ race own[].balance #1
        omp_unset_lock(&other->lock);
      }
    }
#pragma omp section
    {
#pragma omp critical
      shared = own;
      own->balance = 2; //~ race own[].balance #1
    }
  }
  return 0;
}
