// `get` does not wait, as `wait` does: it reads the value of a promise beside the put.
// expect: race
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<int> *promise = new hclib::promise_t<int>();
    hclib::async([=]() {
      promise->put(5); //~ race value #1
    });
    int value = promise->get_future()->get(); //~ race value #1
    if (value > 5)
      abort();
  });
  return 0;
}
