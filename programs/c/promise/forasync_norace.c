// Loops in C: of one to three dimensions, recursive and in chunks, and one that a future stands for.
// expect: race-free all-schedules
#include "hclib.h"

static int one[64], two[8][9], three[4][5][6];

static void line(void *argument, int i) { ((int *)argument)[i]++; }
static void plane(void *argument, int i, int j) { (void)argument, two[i][j]++; }
static void space(void *argument, int i, int j, int k) { (void)argument, three[i][j][k]++; }

static void start(void *argument) {
  hclib_loop_domain_t loop[3] = {{0, 4, 1, 3}, {0, 5, 1, 2}, {0, 6, 1, 6}};
  hclib_loop_domain_t rows[2] = {{0, 8, 1, 3}, {0, 9, 1, 4}};
  hclib_loop_domain_t whole = {0, 64, 1, 5};
  (void)argument;
  for (int mode = FORASYNC_MODE_FLAT; mode <= FORASYNC_MODE_RECURSIVE; mode++) {
    hclib_start_finish();
    hclib_forasync(space, NULL, 3, loop, mode);
    hclib_forasync(plane, NULL, 2, rows, mode);
    hclib_end_finish();
    hclib_future_wait(hclib_forasync_future(line, one, 1, &whole, mode));
  }
  for (int i = 0; i < 64; i++)
    assert(one[i] == 2);
  for (int i = 0; i < 8 * 9; i++)
    assert(two[0][i] == 2);
  for (int i = 0; i < 4 * 5 * 6; i++)
    assert(three[0][0][i] == 2);
}

int main(void) {
  const char *modules[] = {"system"};
  hclib_launch(start, NULL, modules, 1);
  return 0;
}
