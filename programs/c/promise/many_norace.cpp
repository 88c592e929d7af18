// Many promises and tasks: each task puts into a promise that main waits for and deletes; then as many in a chain, each of which
// awaits the one before.
// expect: race-free all-schedules
// args: 2000
#include "hclib_cpp.h"
#include <cassert>
#include <cstdlib>

static long sum;

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1000000;
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, [=]() {
    for (long i = 0; i < count; i++) {
      hclib::promise_t<long> *promise = new hclib::promise_t<long>();
      hclib::async([=]() {
        sum += i;
        promise->put(i);
      });
      assert(promise->get_future()->wait() == i);
      delete promise;
    }
    assert(sum == count * (count - 1) / 2);
    hclib::promise_t<void> *first = new hclib::promise_t<void>(), *last = first;
    for (long i = 0; i < count; i++) {
      hclib::promise_t<void> *next = new hclib::promise_t<void>();
      hclib::async_await([=]() {
        sum--;
        next->put();
        delete last;
      }, last->get_future());
      last = next;
      if (i == 0)
        first->put();
    }
    last->get_future()->wait();
    assert(sum == count * (count - 3) / 2);
    delete last;
  });
  return 0;
}
