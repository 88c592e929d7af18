// What OpenMP's settings are, one line each, for comparison with libomp.
#include <omp.h>
#include <stdio.h>

static void show(const char *when) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("%s: threads %d dynamic %d nested %d levels %d of %d limit %d schedule %x,%d teams %d of %d priority %d cancel %d\n", when,
         omp_get_max_threads(), omp_get_dynamic(), omp_get_nested(), omp_get_max_active_levels(),
         omp_get_supported_active_levels(), omp_get_thread_limit(), kind, chunk, omp_get_max_teams(),
         omp_get_teams_thread_limit(), omp_get_max_task_priority(), omp_get_cancellation());
}

// The sizes of teams, each opened by the first thread of the one around it.
static void nest(int depth) {
  if (depth == 0)
    return;
#pragma omp parallel
#pragma omp master
  {
    printf("%*slevel %d of which %d: %d threads, %d next\n", 2 * omp_get_level(), "", omp_get_level(), omp_get_active_level(),
           omp_get_num_threads(), omp_get_max_threads());
    nest(depth - 1);
  }
}

int main(void) {
  show("first");
  nest(3);
  omp_set_nested(1);
  show("nested");
  omp_set_nested(0);
  show("not nested");
  omp_set_max_active_levels(-3);
  omp_set_max_active_levels(2);
  show("two levels");
  nest(3);
  omp_set_num_threads(0);
  show("none");
  omp_set_num_threads(3);
  nest(2);
  struct {
    int kind, chunk;
  } schedules[] = {{1, 5}, {1, 0}, {1, -1}, {2, 0}, {2, 4}, {3, 7}, {4, 7}, {2 | 0x80000000, 7}, {99, 7}};
  for (int i = 0; i < 9; i++) {
    omp_set_schedule((omp_sched_t)schedules[i].kind, schedules[i].chunk);
    show("schedule");
  }
  omp_set_num_teams(5);
  omp_set_teams_thread_limit(2);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      omp_set_max_active_levels(7);
      omp_set_schedule(omp_sched_guided, 9);
      omp_set_num_threads(6);
    }
#pragma omp barrier
    for (int i = 0; i < 2; i++) {
      if (omp_get_thread_num() == i)
        show("of a thread");
#pragma omp barrier
    }
  }
  show("last");
  return 0;
}
