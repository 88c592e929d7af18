// A pipeline of two tasks: the second waits for a promise that the first puts into when it has written everything.
// expect: race-free all-schedules
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
        count = 1;
        ready->put();
      });
      hclib::async([=]() {
        ready->get_future()->wait();
        printf("%d of %d\n", item, count);
      });
    });
  });
  return 0;
}
