// The second thread takes the locks the wrong way round only if it comes first.
// expect: deadlock
// run: race-free
// executions: 5
#include <omp.h>
omp_lock_t a, b;
int came;

static int is_first(void) {
  int mine;
#pragma omp critical
  mine = came++;
  return mine == 0;
}

static void both(omp_lock_t *one, omp_lock_t *other) {
  omp_set_lock(one);
  omp_set_lock(other);
  omp_unset_lock(other);
  omp_unset_lock(one);
}

int main(void) {
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel num_threads(2)
  {
    int first = is_first();
    if (omp_get_thread_num() == 1 && first)
      both(&b, &a);
    else
      both(&a, &b);
  }
  return 0;
}
