// An iteration writes what the next one reads, which may be in another tile.
// expect: race
#include "hclib_cpp.h"

static int a[101];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::loop_domain_1d loop(0, 100, 10);
    hclib::finish([&]() {
      hclib::forasync1D(&loop, [](int i) {
        a[i + 1] = a[i] + 1; //~ race a[] #1
      });
    });
  });
  return 0;
}
