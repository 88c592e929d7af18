// The last access waits for the second promise only, whose put comes after that of the first.
// expect: race
// advice: put-later
// prints: 7 of 1
#include "hclib_cpp.h"
#include <cstdio>

static int item, count;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *ready = new hclib::promise_t<void>();
    hclib::promise_t<void> *next = new hclib::promise_t<void>();
    hclib::async([=]() {
      item = 7;
      ready->put();
      count = 1; //~ race count #1
    });
    hclib::async([=]() {
      ready->get_future()->wait();
      next->put();
    });
    next->get_future()->wait();
    printf("%d of %d\n", item, count); //~ race count #1
  });
  return 0;
}
