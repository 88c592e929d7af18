// Tasks that begin when promises are set: one, two, four, and a vector of them; null ones are passed over.
// expect: race-free all-schedules
#include "hclib_cpp.h"
#include <cassert>

static int a[6];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<int> promises[4];
    hclib::future_t<int> *f[4];
    for (int i = 0; i < 4; i++)
      f[i] = promises[i].get_future();
    hclib::finish([&]() {
      hclib::async_await([&]() { a[1] = a[0] + f[0]->get(); }, f[0]);
      hclib::async_await([&]() { a[2] = a[0] + f[0]->get() + f[1]->get(); }, f[0], f[1]);
      hclib::async_await([&]() { a[3] = a[0] + f[3]->get(); }, f[0], f[1], f[2], f[3]);
      std::vector<hclib_future_t *> all(f, f + 4);
      hclib::async_nb_await([&]() { a[4] = a[0]; }, all);
      hclib::async_await_at([&]() { a[5] = a[0]; }, nullptr, f[0], hclib::get_closest_locale());
      a[0] = 1;
      for (int i = 0; i < 4; i++)
        promises[i].put(10 * i);
    });
    assert(a[1] == 1 && a[2] == 11 && a[3] == 31 && a[4] == 1 && a[5] == 1);
  });
  return 0;
}
