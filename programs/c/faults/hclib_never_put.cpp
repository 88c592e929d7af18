// Two tasks wait for a promise that nobody is left to put into.
// expect: deadlock
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *never = new hclib::promise_t<void>();
    hclib::async([=]() { never->get_future()->wait(); });
    hclib::async_await([]() {}, never->get_future());
  });
  return 0;
}
