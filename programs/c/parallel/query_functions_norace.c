// What the query functions say inside and outside of regions.
// expect: race-free all-schedules
#include <assert.h>
#include <omp.h>

int main(void) {
  assert(!omp_in_parallel() && omp_get_level() == 0 && omp_get_num_threads() == 1);
  assert(omp_get_max_threads() == 4 && omp_get_thread_limit() > 4 && omp_get_num_procs() >= 1);
  omp_set_num_threads(3);
  assert(omp_get_max_threads() == 3);
  omp_set_dynamic(0);
  assert(!omp_get_dynamic() && !omp_in_final());
  double before = omp_get_wtime();
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
    assert(omp_in_parallel() && omp_get_num_threads() == 3 && omp_get_level() == 1);
    assert(omp_get_thread_num() < 3 && omp_get_ancestor_thread_num(0) == 0);
    assert(omp_get_active_level() == 1 && omp_get_team_size(1) == 3);
    int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    assert(omp_get_level() == 2 && omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(2) == 2);
  }
  assert(omp_get_wtime() >= before && omp_get_wtick() > 0.0);
  assert(omp_get_num_teams() == 1 && omp_get_team_num() == 0 && !omp_get_cancellation());
  return 0;
}
