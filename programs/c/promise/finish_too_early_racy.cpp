// What a task creates in the outer finish goes on when an inner finish has ended.
// expect: race
#include "hclib_cpp.h"

static int x;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::finish([]() {
      hclib::async([]() { x = 1; }); //~ race x #1
      hclib::finish([]() { hclib::async([]() {}); });
      x++; //~ race x #1
    });
  });
  return x > 2;
}
