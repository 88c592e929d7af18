// Loops with a future, of which the third argument is the mode, a number: their tiles are tasks. A `bool` there would say that
// the loop is sequential.
// expect: race
// threads: 3
#include "hclib_cpp.h"

static int one, two, three, tiles, rows;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::loop_domain_1d line(12);
    hclib::forasync1D_future(&line, [](int) { one++; }, FORASYNC_MODE_RECURSIVE)->wait(); //~ race one #1
    hclib::loop_domain_2d plane(4, 5);
    hclib::forasync2D_future(&plane, [](int, int) { two++; }, FORASYNC_MODE_RECURSIVE)->wait(); //~ race two #2
    hclib::loop_domain_3d cube(2, 3, 4);
    hclib::forasync3D_future(&cube, [](int, int, int) { three++; }, FORASYNC_MODE_RECURSIVE)->wait(); //~ race three #3
    hclib_loop_domain_t domain[2] = {{0, 12, 1, 2}, {0, 3, 1, 3}};
    hclib::forasync2D_future(domain, [](int, int) { tiles++; }, FORASYNC_MODE_FLAT)->wait(); //~ race tiles #4
    hclib::forasync2D_future(&plane, [](int, int) {}, true)->wait();
    hclib::finish([&]() {
      hclib::forasync2D(&plane, [](int, int) { rows++; }, FORASYNC_MODE_RECURSIVE); //~ race rows #5
    });
  });
  return 0;
}
