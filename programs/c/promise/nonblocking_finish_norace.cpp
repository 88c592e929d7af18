// A finish that does not wait at its end: its future is set when all tasks below it have ended, those of tasks included.
// expect: race-free all-schedules
#include "hclib_cpp.h"
#include <cassert>

static int a, b, other;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *go = new hclib::promise_t<void>();
    hclib::future_t<void> *done = hclib::nonblocking_finish([=]() {
      hclib::async([=]() {
        go->get_future()->wait();
        a = 1;
        hclib::async([]() { b = 2; });
      });
    });
    hclib::finish([]() { hclib::async([]() { other = 3; }); });
    assert(other == 3);
    go->put();
    done->wait();
    assert(a == 1 && b == 2);
    hclib_start_finish();
    hclib::async([]() { a = 4; });
    hclib_future_t *again = hclib_end_finish_nonblocking();
    hclib_future_wait(again);
    assert(a == 4);
  });
  return 0;
}
