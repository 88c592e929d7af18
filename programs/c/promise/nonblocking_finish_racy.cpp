// A finish that does not wait at its end orders nothing until its future is waited for.
// expect: race
#include "hclib_cpp.h"

static int a;

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::future_t<void> *done = hclib::nonblocking_finish([]() {
      hclib::async([]() { a = 1; }); //~ race a #1
    });
    a++; //~ race a #1
    done->wait();
    a++;
  });
  return a > 3;
}
