// A pipeline of two tasks: the first puts into the promise before it has written all that the second reads.
// expect: race
#include "hclib_cpp.h"
#include <cstdio>

static int item, count;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *ready = new hclib::promise_t<void>();
    hclib::finish([=]() {
      hclib::async([=]() {
        item = 42;
        ready->put();
        count = 1; //~ race count #1
      });
      hclib::async([=]() {
        ready->get_future()->wait();
        printf("%d of %d\n", item, count); //~ race count #1
      });
    });
  });
  return 0;
}
