// Every name of HClib's interface for C that no other program here has.
// expect: race-free
// threads: 4
#include "hclib.h"
#include <assert.h>
#include <string.h>

static int ran;

static void *half(void *number) {
  *(int *)number /= 2;
  return number;
}

static void counts(void *unused) {
  (void)unused;
  __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

static hclib_locale_t *place_of(const int dimensions, const hclib_loop_domain_t *part, const hclib_loop_domain_t *whole,
                                const int mode) {
  (void)dimensions, (void)part, (void)whole, (void)mode;
  return hclib_get_closest_locale();
}

static void entry(void *argument) {
  hclib_locale_t *here = hclib_get_closest_locale();
  int count = 0, type = (int)here->type;
  assert(argument == NULL && hclib_get_num_locales() == 1 && hclib_get_all_locales() == here);
  assert(hclib_get_master_place() == here && hclib_get_central_place() == here);
  assert(hclib_get_thread_private_locales()[0] == here);
  hclib_locale_t **list = hclib_get_all_locales_of_type(type, &count);
  assert(count == 1 && list[0] == here && hclib_get_num_locales_of_type(type) == 1);
  free(list);
  assert(hclib_get_closest_locale_of_type(here, type) == here && hclib_get_closest_locale_of_types(here, &type, 1) == here);
  assert(hclib_add_known_locale_type("another") != here->type);
  hclib_locale_mark_special(here, "COMM");
  assert(hclib_get_num_workers() == 4 && hclib_num_workers() == 4);
  assert(hclib_get_current_worker() >= 0 && hclib_get_current_worker() < 4 && hclib_current_worker_backlog() == 0);

  hclib_promise_t *promise = hclib_promise_create();
  hclib_future_t *set = hclib_get_future_for_promise(promise);
  hclib_promise_t **row = hclib_promise_create_n(3, 1);
  assert(row[0] && row[1] && !row[2]);
  hclib_start_finish();
  hclib_async(counts, NO_ARG, &set, 1, ANY_PLACE);
  hclib_async_nb(counts, NO_ARG, ANY_PLACE);
  hclib_yield(here);
  hclib_promise_put(promise, row);
  hclib_end_finish();
  assert(ran == 2 && hclib_future_wait(set) == row && hclib_future_get(set) == row);
  hclib_promise_free_n(row, 3, 1);
  hclib_promise_free(promise);

  int number = 8;
  hclib_future_t *first = hclib_async_future(half, &number, NULL, 0, NULL);
  hclib_future_t *second = hclib_async_future(half, &number, &first, 1, NULL);
  assert(hclib_future_wait(second) == &number && number == 2);

  char *text = (char *)hclib_future_wait(hclib_allocate_at(8, here)), copy[8], again[8];
  hclib_future_t *filled = hclib_memset_at(text, 'b', 8, here);
  hclib_future_t *copied = hclib_async_copy(here, copy, here, text, 8, &filled, 1);
  hclib_future_wait(copied);
  hclib_future_wait(hclib_async_copy(here, again, here, HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC, 8, &filled, 1));
  assert(!memcmp(copy, "bbbbbbbb", 8) && !memcmp(again, copy, 8));
  text = (char *)hclib_future_wait(hclib_reallocate_at(text, 32, here));
  assert(text[7] == 'b');
  hclib_free_at(text, here);

  unsigned id = hclib_register_dist_func(place_of);
  assert(hclib_lookup_dist_func(id) == place_of && hclib_lookup_dist_func(HCLIB_DEFAULT_LOOP_DIST));
  assert(hclib_current_time_ns() / 1000000 <= hclib_current_time_ms() && hclib_default_queue_capacity() > 0);
  hclib_print_current_task_info();
  hclib_print_runtime_stats(stderr);
}

int main(void) {
  const char *modules[] = {"system"};
  hclib_launch(entry, NULL, modules, 1);
  return 0;
}
