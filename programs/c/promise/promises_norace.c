// Promises in C: made one by one, in a list, in place, and by tasks; freed when everybody has waited.
// expect: race-free all-schedules
#include "hclib.h"

static int values[4];

static void put(void *promise) {
  values[0] = 1;
  hclib_promise_put(promise, &values[0]);
}

static void *twice(void *value) {
  *(int *)value *= 2;
  return value;
}

static void start(void *argument) {
  (void)argument;
  hclib_promise_t *one = hclib_promise_create();
  hclib_future_t *future = hclib_get_future_for_promise(one);
  hclib_async(put, one, NO_FUTURE, 0, ANY_PLACE);
  hclib_future_t *doubled = hclib_async_future(twice, &values[0], &future, 1, ANY_PLACE);
  assert(*(int *)hclib_future_wait(doubled) == 2);
  hclib_promise_free(one);
  hclib_promise_t **list = hclib_promise_create_n(3, 1);
  assert(!list[2]);
  hclib_start_finish();
  for (int i = 0; i < 2; i++)
    hclib_async_nb(put, list[i == 0 ? 0 : 1], ANY_PLACE), hclib_future_wait(hclib_get_future_for_promise(list[i]));
  hclib_end_finish();
  hclib_promise_free_n(list, 3, 1);
  for (int i = 0; i < 100; i++) {
    hclib_promise_t here;
    hclib_promise_init(&here);
    hclib_promise_put(&here, NO_DATUM);
    hclib_future_wait(&here.future);
  }
  hclib_yield(NULL);
}

int main(void) {
  const char *modules[] = {"system"};
  hclib_launch(start, NULL, modules, 1);
  return 0;
}
