// The loops of forasync_future_racy.cpp with all that may come after the body: sequential ones are no tasks; tiles of others await
// a future, whatever place stands before it. (Of a recursive loop the first tile runs at once, as in HClib.)
// expect: race-free all-schedules
// threads: 3
#include "hclib_cpp.h"
#include <cassert>

static int one, two, three, cells[4][5], planes[2][3][4];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::loop_domain_1d line(12);
    hclib::forasync1D_future(&line, [](int) { one++; }, true)->wait();
    hclib::loop_domain_2d plane(4, 5);
    hclib::forasync2D_future(&plane, [](int, int) { two++; }, true, FORASYNC_MODE_FLAT)->wait();
    hclib::loop_domain_3d cube(2, 3, 4);
    hclib::forasync3D_future(&cube, [](int, int, int) { three++; }, true)->wait();
    assert(one == 12 && two == 20 && three == 24);

    auto cell = [](int i, int j) { cells[i][j]++; };
    auto piece = [](int i, int j, int k) { planes[i][j][k]++; };
    hclib::locale_t *place = hclib::get_closest_locale();
    hclib_loop_domain_t rows[2] = {{0, 4, 1, 2}, {0, 5, 1, 2}};
    hclib_future_t *last = hclib::forasync2D_future(&plane, cell);
    last = hclib::forasync2D_future(&plane, cell, FORASYNC_MODE_FLAT, last);
    last = hclib::forasync2D_future(&plane, cell, FORASYNC_MODE_FLAT, place, last);
    last = hclib::forasync2D_future(&plane, cell, false, FORASYNC_MODE_FLAT, last);
    last = hclib::forasync2D_future(rows, cell, FORASYNC_MODE_FLAT, NULL, last);
    last = hclib::forasync2D_future(rows, cell, FORASYNC_MODE_FLAT, nullptr, last);
    hclib::forasync2D_future(rows, cell, FORASYNC_MODE_FLAT, place, last)->wait();
    hclib::forasync2D_future(rows, cell, FORASYNC_MODE_RECURSIVE, place)->wait();
    hclib::future_t<void> *before = hclib::forasync3D_future(&cube, piece);
    hclib::forasync3D_future(&cube, piece, FORASYNC_MODE_FLAT, before)->wait();
    hclib::finish([&]() { hclib::forasync3D(&cube, piece, FORASYNC_MODE_FLAT, place, before); });
    for (auto &row : cells)
      for (int count : row)
        assert(count == 8);
    for (auto &slice : planes)
      for (auto &row : slice)
        for (int count : row)
          assert(count == 3);
  });
  return 0;
}
