// An atomic variable is gathered while a task may still update it.
// expect: race
#include "hclib_atomic.h"
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::atomic_sum_t<int> *total = new hclib::atomic_sum_t<int>(0);
    hclib::async([=]() {
      *total += 1; //~ race total #1
    });
    int now = total->get(); //~ race total #1
    if (now > 1)
      abort();
  });
  return 0;
}
