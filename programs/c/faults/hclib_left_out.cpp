// A function of HClib that is left out.
// expect: program-error
// message: hclib_run_on_main_ctx is left out
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() { hclib_run_on_main_ctx([](void *) {}, nullptr); });
  return 0;
}
