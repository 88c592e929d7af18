// A task is created before HClib is launched.
// expect: program-error
// message: outside of hclib_launch
#include "hclib_cpp.h"

int main() {
  hclib::async([]() {});
  return 0;
}
