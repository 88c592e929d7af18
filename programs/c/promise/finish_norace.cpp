// A finish waits for all tasks below it, those of tasks that have ended included; finishes nest.
// expect: race-free all-schedules
#include "hclib_cpp.h"
#include <cassert>

static int cells[3][4];

static void grow(int row, int depth) {
  cells[row][depth]++;
  if (depth < 3)
    hclib::async([=]() { grow(row, depth + 1); });
}

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::finish([]() {
      hclib::async([]() { hclib::finish([]() { grow(0, 0); }); assert(cells[0][3] == 1); });
      hclib::async_nb([]() { grow(1, 0); });
    });
    hclib_start_finish();
    grow(2, 0);
    hclib_end_finish();
    for (auto &row : cells)
      for (int cell : row)
        assert(cell == 1);
  });
  return 0;
}
