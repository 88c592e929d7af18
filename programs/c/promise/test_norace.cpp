// Whether a promise is set depends on the schedule; what comes after the answer yes is ordered after the put.
// expect: race-free observed-schedule
#include "hclib_cpp.h"
#include <cassert>

static int x;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<int> *promise = new hclib::promise_t<int>();
    hclib::async([=]() {
      x = 1;
      promise->put(1);
    });
    while (!promise->get_future()->test())
      hclib::yield();
    assert(x == 1);
  });
  return 0;
}
