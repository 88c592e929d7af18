// What a thread sets holds for it and for what it creates, not for the others.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int main(void) {
  omp_set_num_threads(3);
  omp_set_schedule(omp_sched_guided, 7);
#pragma omp parallel
  {
    assert(omp_get_num_threads() == 3);
    if (omp_get_thread_num() == 1) {
      omp_set_max_active_levels(5);
      omp_set_num_threads(2);
      omp_set_dynamic(1);
      omp_set_schedule(omp_sched_static, 4);
#pragma omp task
      assert(omp_get_max_active_levels() == 5 && omp_get_max_threads() == 2);
    }
#pragma omp barrier
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    if (omp_get_thread_num() == 1)
      assert(omp_get_max_active_levels() == 5 && omp_get_dynamic() && kind == omp_sched_static && chunk == 4);
    else
      assert(omp_get_max_active_levels() == 1 && !omp_get_dynamic() && kind == omp_sched_guided && chunk == 7);
  }
  assert(omp_get_max_active_levels() == 1 && omp_get_max_threads() == 3);
  omp_set_num_threads(-2);
  assert(omp_get_max_threads() == 1);
  return 0;
}
