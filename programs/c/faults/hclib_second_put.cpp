// Two tasks put into one promise.
// expect: program-error
// message: this promise is set already
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::promise_t<int> *promise = new hclib::promise_t<int>();
    hclib::async([=]() { promise->put(1); });
    hclib::async([=]() { promise->put(2); });
  });
  return 0;
}
