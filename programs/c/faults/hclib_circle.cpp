// Two futures wait for each other.
// expect: deadlock
// message: "held_by":"main/1"
#include "hclib_cpp.h"

static hclib::future_t<void> *futures[2];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *go = new hclib::promise_t<void>();
    for (int i = 0; i < 2; i++)
      futures[i] = hclib::async_future([=]() {
        go->get_future()->wait();
        futures[1 - i]->wait();
      });
    go->put();
  });
  return 0;
}
