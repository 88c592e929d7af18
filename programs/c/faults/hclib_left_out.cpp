// A function of HClib that is left out.
// expect: program-error
// message: hclib_async_copy is left out
#include "hclib_cpp.h"

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib_locale_t *here = hclib::get_closest_locale();
    int from = 1, to = 0;
    hclib_async_copy(here, &to, here, &from, sizeof from, NULL, 0);
  });
  return 0;
}
