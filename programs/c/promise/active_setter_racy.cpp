// The task that puts into the first promise has not ended when `main` reads what it wrote: the one it has woken waits again,
// for what `main` puts after that. A rule of the DRDP paper takes the write for ordered, since its task goes on still.
// expect: race
#include "hclib_cpp.h"

static int x;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<void> *p = new hclib::promise_t<void>(), *q = new hclib::promise_t<void>();
    hclib::async([=]() {
      p->get_future()->wait();
      q->get_future()->wait();
    });
    hclib::async([=]() {
      x = 1; //~ race x #1
      p->put();
    });
    int read = x; //~ race x #1
    q->put();
    if (read < 0)
      abort();
  });
  return 0;
}
