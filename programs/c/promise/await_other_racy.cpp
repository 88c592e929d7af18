// A task awaits a promise that is set before what it reads is written: another one would be the right one.
// expect: race
#include "hclib_cpp.h"

static int first, second, sum;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *one = new hclib::promise_t<void>(), *two = new hclib::promise_t<void>();
    hclib::async([=]() {
      first = 1;
      one->put();
      second = 2; //~ race second #1
      two->put();
    });
    hclib::async_await([]() {
      sum = first;
      sum += second; //~ race second #1
    }, one->get_future());
  });
  return sum > 3;
}
