// A lock for every other counter: the one that a thread takes is not that of the counter it moves on to.
// expect: race
// run: race-free
// executions: 3
#include <omp.h>
omp_lock_t lock[2];
int count[4], moved;

static void add(int i) {
  omp_set_lock(&lock[i % 2]);
  count[i]++; //~ race count[] #1
  omp_unset_lock(&lock[i % 2]);
}

int main(void) {
  omp_init_lock(&lock[0]);
  omp_init_lock(&lock[1]);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      int late;
#pragma omp critical
      late = moved;
      add(late);
    }
#pragma omp section
    {
#pragma omp critical
      moved = 1;
      omp_set_lock(&lock[0]);
      count[0]++;
      count[1]++; //~ race count[] #1
      omp_unset_lock(&lock[0]);
    }
  }
  return 0;
}
