// Atomic variables and accumulators of HClib: tasks update them in any order, and they are gathered after the finish.
// expect: race-free all-schedules
#include "hclib_atomic.h"
#include "hclib_cpp.h"
#include <cassert>

static void add(void *element, void *value) { *(long *)element += (long)value; }
static void zero(void *element, void *) { *(long *)element = 0; }
static void sum(void *into, void *element, void *) { *(long *)into += *(long *)element; }

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    hclib::atomic_sum_t<int> total(0);
    hclib::atomic_max_t<int> largest(0);
    hclib::atomic_or_t<int> any(0);
    hclib_atomic_t *plain = hclib_atomic_create(sizeof(long), zero, nullptr);
    accum_t *accum = accum_create_int(ACCUM_OP_PLUS, ACCUM_MODE_LAZY, 0);
    hclib::finish([&]() {
      accum_register(&accum, 1);
      for (int i = 0; i < 50; i++)
        hclib::async([=, &total, &largest, &any]() {
          total += i;
          largest.update(i);
          any |= i == 7;
          hclib_atomic_update(plain, add, (void *)(long)i);
          accum_put_int(accum, i);
        });
    });
    assert(total.get() == 1225 && largest.get() == 49 && any.get());
    assert(*(long *)hclib_atomic_gather(plain, sum, nullptr) == 1225 && accum_get_int(accum) == 1225);
    accum_destroy(accum);
  });
  return 0;
}
