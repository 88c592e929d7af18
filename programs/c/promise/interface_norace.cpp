// Every name of HClib's interface for C++ that no other program here has.
// expect: race-free
// threads: 4
#include "hclib_cpp.h"
#include "hclib_atomic.h"
#include <cassert>
#include <vector>

static int ran, tiles[12], workers_seen[4];

static hclib_locale_t *place_of(const int, const hclib_loop_domain_t *, const hclib_loop_domain_t *, const int) {
  return hclib_get_closest_locale();
}

static void places() {
  hclib::locale_t *here = hclib::get_closest_locale();
  assert(hclib::get_num_locales() == 1 && hclib::get_all_locales() == here);
  assert(hclib::get_master_place() == here && hclib::get_central_place() == here);
  for (int i = 0; i < hclib::get_num_workers(); i++)
    assert(hclib::get_thread_private_locales()[i] == here);
  int count = -1, types[] = {7, (int)here->type};
  hclib_locale_t **list = hclib::get_all_locales_of_type(here->type, &count);
  assert(count == 1 && list[0] == here);
  free(list);
  list = hclib_get_all_locales_of_type(7, &count);
  assert(count == 0);
  free(list);
  assert(hclib_get_num_locales_of_type(here->type) == 1 && hclib_get_num_locales_of_type(7) == 0);
  assert(hclib_get_closest_locale_of_type(here, here->type) == here && !hclib_get_closest_locale_of_type(here, 7));
  assert(hclib_get_closest_locale_of_types(here, types, 2) == here && !hclib_get_closest_locale_of_types(here, types, 1));
  unsigned first = hclib_add_known_locale_type("first"), second = hclib_add_known_locale_type("second");
  assert(first != here->type && second != first && hclib_add_known_locale_type("first") == first);
  hclib_locale_mark_special(here, "COMM");
}

static void tasks() {
  hclib::locale_t *here = hclib::get_closest_locale();
  hclib::promise_t<int> *promise = new hclib::promise_t<int>();
  hclib::future_t<int> *set = promise->get_future();
  std::vector<hclib_future_t *> all = {set, nullptr};
  hclib::finish([=]() {
    auto counts = []() { __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED); };
    hclib::async_at(counts, here);
    hclib::async_nb(counts);
    hclib::async_nb_at(counts, here);
    hclib::async_await(counts, set, nullptr);
    hclib::async_await(counts, set, set, nullptr, set);
    hclib::async_await(counts, all);
    hclib::async_nb_await(counts, set);
    hclib::async_await_at(counts, set, here);
    hclib::async_nb_await_at(counts, set, set, here);
    hclib::async_nb_await_at(counts, all, here);
    std::vector<hclib_future_t *> copy = all, *none = nullptr;
    hclib::async_await(counts, &copy);
    hclib::async_nb_await(counts, none);
    hclib::async_await_at(counts, &copy, here);
    hclib::async_await(counts, NULL);
    hclib::async_await(counts, {set, nullptr});
    hclib::yield_at(here);
    promise->put(5);
  });
  assert(ran == 15 && set->get() == 5 && &promise->future() == set);
  assert(hclib::async_nb_future([]() { return 1; })->wait() == 1);
  assert(hclib::async_future_at([]() { return 2; }, here)->wait() == 2);
  assert(hclib::async_nb_future_at([]() { return 3; }, here)->wait() == 3);
  assert(hclib::async_nb_future_await([=]() { return set->get() + 1; }, set)->wait() == 6);
  assert(hclib::async_future_await_at([=]() { return set->get() + 2; }, set, here)->wait() == 7);
  assert(hclib::async_nb_future_await_at([=]() { return set->get() + 3; }, all, here)->wait() == 8);
  int number = 9;
  assert(&hclib::async_future([&]() -> int & { return number; })->wait() == &number);
}

static void memory() {
  hclib::locale_t *here = hclib::get_closest_locale();
  char *text = (char *)hclib::allocate_at(8, here)->wait();
  assert(hclib::memset_at(text, 'a', 8, here)->wait() == text && text[7] == 'a');
  text = (char *)hclib::reallocate_at(text, 16, here)->wait();
  assert(text[7] == 'a');
  char copied[3][8];
  hclib::future_t<void *> *first = hclib::async_copy(here, copied[0], here, text, 8);
  hclib::future_t<void *> *second = hclib::async_copy_await(here, copied[1], here, copied[0], 8, first);
  hclib_future_t *both[] = {first, second};
  hclib::async_copy_await_all(here, copied[2], here, copied[1], 8, both, 2)->wait();
  assert(!memcmp(copied[2], "aaaaaaaa", 8));
  hclib::promise_t<void *> *source = new hclib::promise_t<void *>();
  hclib::future_t<void *> *late =
      hclib::async_copy_await(here, text + 8, here, HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC, 8, source->get_future());
  strcpy(copied[0], "source");
  source->put(copied[0]);
  late->wait();
  assert(!strcmp(text + 8, "source"));
  hclib::free_at(text, here);
}

static void accumulators() {
  accum_t *sum = accum_create_double(ACCUM_OP_PLUS, ACCUM_MODE_LAZY, 0.5);
  accum_t *most = accum_create_double(ACCUM_OP_MAX, ACCUM_MODE_SEQ, 1);
  accum_t *largest = accum_create_int(ACCUM_OP_MAX, ACCUM_MODE_REC, 1);
  accum_t *all[] = {sum, most, largest};
  accum_register(all, 3);
  hclib::finish([=]() {
    for (int i = 0; i < 8; i++)
      hclib::async([=]() {
        accum_put_double(sum, i);
        accum_put_double(most, i);
        accum_put_int(largest, i);
      });
  });
  assert(accum_get_double(sum) == 28.5 && accum_get_double(most) == 7 && accum_get_int(largest) == 7);
  for (accum_t *one : all)
    accum_destroy(one);
}

static void workers() {
  assert(hclib::get_num_workers() == 4 && hclib::num_workers() == 4 && hclib_num_workers() == 4);
  assert(hclib::current_ws()->id == hclib::current_worker() && hclib_current_worker_backlog() == 0);
  hclib::finish([]() {
    for (int i = 0; i < 12; i++)
      hclib::async([]() { workers_seen[hclib::get_current_worker()]++; });
  });
  for (int seen : workers_seen)
    assert(seen > 0);
  unsigned id = hclib_register_dist_func(place_of);
  assert(id > 0 && hclib_lookup_dist_func(id) == place_of);
  assert(hclib_lookup_dist_func(HCLIB_DEFAULT_LOOP_DIST)(1, nullptr, nullptr, 0) == hclib_get_closest_locale());
  hclib::loop_domain_1d loop(12);
  hclib::finish([&]() { hclib::forasync1D(&loop, [](int i) { tiles[i]++; }, false, FORASYNC_MODE_FLAT, nullptr, id); });
  assert(tiles[0] == 1 && tiles[11] == 1);
  unsigned long long now = hclib_current_time_ns();
  assert(now / 1000000 <= hclib_current_time_ms() && hclib_default_queue_capacity() > 0);
  hclib_print_current_task_info();
  hclib_print_runtime_stats(stderr);
}

int main() {
  const char *modules[] = {"system"};
  hclib::launch(modules, 1, []() {
    places();
    tasks();
    memory();
    accumulators();
    workers();
  });
  return 0;
}
