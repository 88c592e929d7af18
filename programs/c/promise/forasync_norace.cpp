// Loops of one to three dimensions, recursive and in chunks, with futures and after them, with ranges that tiles do not divide.
// expect: race-free all-schedules
// threads: 3
#include "hclib_cpp.h"
#include <cassert>

static int one[100], two[10][13], three[5][6][7];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::finish([]() {
      hclib::loop_domain_1d loop(100);
      hclib::forasync1D(&loop, [](int i) { one[i]++; });
      hclib::loop_domain_2d rows(10, 13);
      hclib::forasync2D(&rows, [](int i, int j) { two[i][j]++; });
      hclib::loop_domain_3d cube(0, 5, 0, 6, 0, 7);
      hclib::forasync3D(&cube, [](int i, int j, int k) { three[i][j][k]++; });
    });
    hclib::loop_domain_1d part(10, 90, 7);
    hclib::future_t<void> *done =
        hclib::forasync1D_future(&part, [](int i) { one[i]++; }, false, FORASYNC_MODE_FLAT);
    hclib::finish([=]() {
      hclib_loop_domain_t loop = {10, 90, 3, 10};
      hclib::forasync1D(&loop, [](int i) { one[i]++; }, FORASYNC_MODE_FLAT, nullptr, done);
    });
    hclib::finish([]() {
      hclib::loop_domain_2d rows(10, 13);
      hclib::forasync2D(&rows, [](int i, int j) { two[i][j]++; }, false, FORASYNC_MODE_FLAT);
      hclib::loop_domain_3d cube(5, 6, 7);
      hclib::forasync3D(&cube, [](int i, int j, int k) { three[i][j][k]++; }, false, FORASYNC_MODE_FLAT);
    });
    for (int i = 0; i < 100; i++)
      assert(one[i] == 1 + (i >= 10 && i < 90) + (i >= 10 && i < 90 && (i - 10) % 3 == 0));
    for (auto &row : two)
      for (int cell : row)
        assert(cell == 2);
    for (auto &plane : three)
      for (auto &row : plane)
        for (int cell : row)
          assert(cell == 2);
  });
  return 0;
}
