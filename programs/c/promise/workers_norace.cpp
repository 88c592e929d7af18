// As many workers as the program asks for, whatever the options say: it has memory for so many, which it indexes by the worker.
// HCLIB_WORKERS says it too, and stays as the last launch with a number has set it.
// expect: race-free
// threads: 8
#include "hclib_cpp.h"
#include <cassert>

static void count(int expected) {
  assert(hclib::get_num_workers() == expected && hclib::num_workers() == expected);
  assert(hclib_get_num_workers() == expected && hclib_num_workers() == expected);
  int *sums = new int[expected]();
  hclib::finish([=]() {
    for (int i = 0; i < 40; i++)
      hclib::async([=]() {
        int worker = hclib::get_current_worker();
        assert(worker >= 0 && worker < expected);
        sums[worker]++;
      });
  });
  int sum = 0, used = 0;
  for (int i = 0; i < expected; i++) {
    sum += sums[i];
    used += sums[i] > 0;
  }
  assert(sum == 40 && used == expected);
  delete[] sums;
}

int main() {
  const char *modules[] = {"system"};
  hclib::launch(3, modules, 1, []() { count(3); });
  hclib::launch(6, modules, 1, []() { count(6); });
  hclib::launch(modules, 1, []() { count(6); });
  setenv("HCLIB_WORKERS", "2", 1);
  hclib::launch(modules, 1, []() { count(2); });
  unsetenv("HCLIB_WORKERS");
  hclib::launch(modules, 1, []() { count(8); });
  return 0;
}
