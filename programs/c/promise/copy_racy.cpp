// Tasks that copy and set memory for the program read and write it.
// expect: race
#include "hclib_cpp.h"
#include <cassert>

static int from[4], to[4], zeros[4];

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::locale_t *here = hclib::get_closest_locale();
    hclib::future_t<void *> *copied = hclib::async_copy(here, to, here, from, sizeof from); //~ race to #1 race from #2
    hclib::future_t<void *> *set = hclib::memset_at(zeros, 0, sizeof zeros, here); //~ race zeros #3
    assert(to[1] == 0); //~ race to #1
    from[2] = 1; //~ race from #2
    assert(zeros[3] == 0); //~ race zeros #3
    copied->wait();
    set->wait();
    assert(to[3] == 0 && zeros[0] == 0);
  });
  return 0;
}
