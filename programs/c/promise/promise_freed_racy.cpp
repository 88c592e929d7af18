// A promise is deleted while another task may still wait for it.
// expect: race
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<int> *promise = new hclib::promise_t<int>();
    hclib::finish([=]() {
      promise->put(1);
      hclib::async([=]() {
        promise->get_future()->wait(); //~ race value #1
      });
      delete promise; //~ race value #1
    });
  });
  return 0;
}
