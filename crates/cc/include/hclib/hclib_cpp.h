/*
 * HClib's interface for C++, on raceproof's runtime. docs/HCLIB.md says what each function does
 * here.
 *
 * The functions are inlined and have no debug information of their own, so that a report names the
 * line of the program that calls one.
 */
#ifndef RACEPROOF_HCLIB_CPP_H
#define RACEPROOF_HCLIB_CPP_H

#pragma clang system_header

#include "hclib.h"

#include <functional>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#define RACEPROOF_INLINE __attribute__((always_inline, nodebug)) inline

namespace hclib {

typedef hclib_locale_t locale_t;

// ---- promises and futures ----

template <typename T> struct future_t : public hclib_future_t {
  static_assert(sizeof(T) <= sizeof(void *), "a future holds what fits into a pointer");
  RACEPROOF_INLINE T get() { return value(hclib_future_get(this)); }
  RACEPROOF_INLINE T wait() { return value(hclib_future_wait(this)); }
  RACEPROOF_INLINE bool test() { return hclib_future_is_satisfied(this); }

private:
  RACEPROOF_INLINE static T value(void *datum) {
    union {
      void *datum;
      T value;
    } both;
    both.datum = datum;
    return both.value;
  }
};

template <typename T> struct future_t<T *> : public hclib_future_t {
  RACEPROOF_INLINE T *get() { return static_cast<T *>(hclib_future_get(this)); }
  RACEPROOF_INLINE T *wait() { return static_cast<T *>(hclib_future_wait(this)); }
  RACEPROOF_INLINE bool test() { return hclib_future_is_satisfied(this); }
};

template <typename T> struct future_t<T &> : public hclib_future_t {
  RACEPROOF_INLINE T &get() { return *static_cast<T *>(hclib_future_get(this)); }
  RACEPROOF_INLINE T &wait() { return *static_cast<T *>(hclib_future_wait(this)); }
  RACEPROOF_INLINE bool test() { return hclib_future_is_satisfied(this); }
};

template <> struct future_t<void> : public hclib_future_t {
  RACEPROOF_INLINE void get() {}
  RACEPROOF_INLINE void wait() { hclib_future_wait(this); }
  RACEPROOF_INLINE bool test() { return hclib_future_is_satisfied(this); }
};

namespace raceproof {

/// What promises of every type have.
template <typename T> struct promise : public hclib_promise_t {
  RACEPROOF_INLINE promise() { hclib_promise_init(this); }
  RACEPROOF_INLINE ~promise() { __raceproof_hclib_promise_forget(this); }
  RACEPROOF_INLINE future_t<T> *get_future() {
    return static_cast<future_t<T> *>(&static_cast<hclib_promise_t *>(this)->future);
  }
  RACEPROOF_INLINE future_t<T> &future() { return *get_future(); }
};

} // namespace raceproof

template <typename T> struct promise_t : public raceproof::promise<T> {
  static_assert(sizeof(T) <= sizeof(void *), "a promise holds what fits into a pointer");
  RACEPROOF_INLINE promise_t() {}
  RACEPROOF_INLINE ~promise_t() {}
  RACEPROOF_INLINE void put(T value) {
    union {
      void *datum;
      T value;
    } both;
    both.datum = nullptr;
    both.value = value;
    hclib_promise_put(this, both.datum);
  }
};

template <typename T> struct promise_t<T *> : public raceproof::promise<T *> {
  RACEPROOF_INLINE promise_t() {}
  RACEPROOF_INLINE ~promise_t() {}
  RACEPROOF_INLINE void put(T *value) { hclib_promise_put(this, const_cast<void *>(static_cast<const void *>(value))); }
};

template <typename T> struct promise_t<T &> : public raceproof::promise<T &> {
  RACEPROOF_INLINE promise_t() {}
  RACEPROOF_INLINE ~promise_t() {}
  RACEPROOF_INLINE void put(T &value) { hclib_promise_put(this, const_cast<void *>(static_cast<const void *>(&value))); }
};

template <> struct promise_t<void> : public raceproof::promise<void> {
  RACEPROOF_INLINE promise_t() {}
  RACEPROOF_INLINE ~promise_t() {}
  RACEPROOF_INLINE void put() { hclib_promise_put(this, nullptr); }
};

// ---- tasks ----

namespace raceproof {

/// The body of a task: runs a function object that its creator has put into memory of the runtime.
template <typename F> void run(void *function) {
  F *own = static_cast<F *>(function);
  (*own)();
  own->~F();
  __raceproof_hclib_reclaim(own);
}

/// Memory for the function object of a task.
template <typename F> RACEPROOF_INLINE void *room() {
  static_assert(alignof(F) <= 16, "what a task has captured is aligned to 16 bytes at most");
  return __raceproof_hclib_room(sizeof(F));
}

template <typename F> RACEPROOF_INLINE void spawn(F &&function, hclib_future_t **futures, int count) {
  typedef typename std::decay<F>::type Own;
  hclib_async(run<Own>, new (room<Own>()) Own(std::forward<F>(function)), futures, count, nullptr);
}

/// A function object that puts what another returns.
template <typename F, typename R> struct call_and_put {
  F function;
  promise_t<R> *event;
  RACEPROOF_INLINE void operator()() { event->put(function()); }
};

template <typename F> struct call_and_put<F, void> {
  F function;
  promise_t<void> *event;
  RACEPROOF_INLINE void operator()() {
    function();
    event->put();
  }
};

template <typename F>
RACEPROOF_INLINE auto spawn_future(F &&function, hclib_future_t **futures, int count)
    -> future_t<decltype(function())> * {
  typedef decltype(function()) R;
  typedef typename std::decay<F>::type Own;
  typedef call_and_put<Own, R> Body;
  promise_t<R> *event = new promise_t<R>();
  Body *body = new (room<Body>()) Body{Own(std::forward<F>(function)), event};
  __raceproof_hclib_async_for(run<Body>, body, futures, count, event);
  return event->get_future();
}

} // namespace raceproof

template <typename F> RACEPROOF_INLINE void launch(const char **modules, int count, F &&function) {
  typedef typename std::decay<F>::type Own;
  hclib_launch(raceproof::run<Own>, new (raceproof::room<Own>()) Own(std::forward<F>(function)), modules, count);
}

/// On so many workers.
template <typename F>
RACEPROOF_INLINE void launch(const int workers, const char **modules, int count, F &&function) {
  __raceproof_hclib_set_workers(workers);
  launch(modules, count, std::forward<F>(function));
}

template <typename F> RACEPROOF_INLINE void async(F &&function) {
  raceproof::spawn(std::forward<F>(function), nullptr, 0);
}
template <typename F> RACEPROOF_INLINE void async_at(F &&function, hclib_locale_t *) {
  raceproof::spawn(std::forward<F>(function), nullptr, 0);
}
template <typename F> RACEPROOF_INLINE void async_nb(F &&function) {
  raceproof::spawn(std::forward<F>(function), nullptr, 0);
}
template <typename F> RACEPROOF_INLINE void async_nb_at(F &&function, hclib_locale_t *) {
  raceproof::spawn(std::forward<F>(function), nullptr, 0);
}

#define RACEPROOF_AWAIT(name, result, spawn)                                                                                      \
  template <typename F> RACEPROOF_INLINE auto name(F &&function, hclib_future_t *future) -> result {                             \
    return raceproof::spawn(std::forward<F>(function), &future, 1);                                                              \
  }                                                                                                                               \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, hclib_future_t *first, hclib_future_t *second) -> result {                            \
    hclib_future_t *futures[] = {first, second};                                                                                 \
    return raceproof::spawn(std::forward<F>(function), futures, 2);                                                              \
  }                                                                                                                               \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, hclib_future_t *first, hclib_future_t *second, hclib_future_t *third,                \
                             hclib_future_t *fourth) -> result {                                                                 \
    hclib_future_t *futures[] = {first, second, third, fourth};                                                                  \
    return raceproof::spawn(std::forward<F>(function), futures, 4);                                                              \
  }                                                                                                                               \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, const std::vector<hclib_future_t *> &futures) -> result {                             \
    return raceproof::spawn(std::forward<F>(function), const_cast<hclib_future_t **>(futures.data()), (int)futures.size());      \
  }                                                                                                                               \
  template <typename F, typename A>                                                                                               \
  RACEPROOF_INLINE auto name(F &&function, std::vector<hclib_future_t *, A> *futures) -> result {                                 \
    return raceproof::spawn(std::forward<F>(function), futures ? futures->data() : nullptr, futures ? (int)futures->size() : 0);  \
  }

#define RACEPROOF_AWAIT_AT(name, result, spawn)                                                                                   \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, hclib_future_t *future, hclib_locale_t *) -> result {                                 \
    return raceproof::spawn(std::forward<F>(function), &future, 1);                                                              \
  }                                                                                                                               \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, hclib_future_t *first, hclib_future_t *second, hclib_locale_t *) -> result {          \
    hclib_future_t *futures[] = {first, second};                                                                                 \
    return raceproof::spawn(std::forward<F>(function), futures, 2);                                                              \
  }                                                                                                                               \
  template <typename F>                                                                                                           \
  RACEPROOF_INLINE auto name(F &&function, const std::vector<hclib_future_t *> &futures, hclib_locale_t *) -> result {           \
    return raceproof::spawn(std::forward<F>(function), const_cast<hclib_future_t **>(futures.data()), (int)futures.size());      \
  }                                                                                                                               \
  template <typename F, typename A>                                                                                               \
  RACEPROOF_INLINE auto name(F &&function, std::vector<hclib_future_t *, A> *futures, hclib_locale_t *) -> result {               \
    return raceproof::spawn(std::forward<F>(function), futures ? futures->data() : nullptr, futures ? (int)futures->size() : 0);  \
  }

// A pointer to a vector is a template of its own, so that NULL and nullptr are a future that is null.
RACEPROOF_AWAIT(async_await, void, spawn)
RACEPROOF_AWAIT(async_nb_await, void, spawn)
RACEPROOF_AWAIT_AT(async_await_at, void, spawn)
RACEPROOF_AWAIT_AT(async_nb_await_at, void, spawn)

template <typename F> RACEPROOF_INLINE auto async_future(F &&function) -> future_t<decltype(function())> * {
  return raceproof::spawn_future(std::forward<F>(function), nullptr, 0);
}
template <typename F> RACEPROOF_INLINE auto async_nb_future(F &&function) -> future_t<decltype(function())> * {
  return raceproof::spawn_future(std::forward<F>(function), nullptr, 0);
}
template <typename F>
RACEPROOF_INLINE auto async_future_at(F &&function, hclib_locale_t *) -> future_t<decltype(function())> * {
  return raceproof::spawn_future(std::forward<F>(function), nullptr, 0);
}
template <typename F>
RACEPROOF_INLINE auto async_nb_future_at(F &&function, hclib_locale_t *) -> future_t<decltype(function())> * {
  return raceproof::spawn_future(std::forward<F>(function), nullptr, 0);
}

RACEPROOF_AWAIT(async_future_await, future_t<decltype(function())> *, spawn_future)
RACEPROOF_AWAIT(async_nb_future_await, future_t<decltype(function())> *, spawn_future)
RACEPROOF_AWAIT_AT(async_future_await_at, future_t<decltype(function())> *, spawn_future)
RACEPROOF_AWAIT_AT(async_nb_future_await_at, future_t<decltype(function())> *, spawn_future)

#undef RACEPROOF_AWAIT
#undef RACEPROOF_AWAIT_AT

// ---- finishes ----

template <typename F> RACEPROOF_INLINE void finish(F &&function) {
  __raceproof_hclib_start_finish(0);
  function();
  hclib_end_finish();
}

template <typename F> RACEPROOF_INLINE future_t<void> *nonblocking_finish(F &&function) {
  __raceproof_hclib_start_finish(1);
  function();
  promise_t<void> *event = new promise_t<void>();
  hclib_end_finish_nonblocking_helper(event);
  return event->get_future();
}

RACEPROOF_INLINE void yield() { hclib_yield(nullptr); }
RACEPROOF_INLINE void yield_at(hclib_locale_t *locale) { hclib_yield(locale); }

// ---- parallel loops ----

RACEPROOF_INLINE int default_tile_size(int count, int chunks) { return (count + chunks - 1) / chunks; }

namespace raceproof {

/// A tile is what one worker would get.
inline hclib_loop_domain_t range(int low, int high) {
  return {low, high, 1, default_tile_size(high - low, hclib_get_num_workers())};
}

} // namespace raceproof

class loop_domain_1d {
  hclib_loop_domain_t loop;

public:
  loop_domain_1d(int count) : loop(raceproof::range(0, count)) {}
  loop_domain_1d(int low, int high) : loop(raceproof::range(low, high)) {}
  loop_domain_1d(int low, int high, int chunks) : loop{low, high, 1, default_tile_size(high - low, chunks)} {}
  hclib_loop_domain_t *get_internal() { return &loop; }
};

class loop_domain_2d {
  hclib_loop_domain_t loop[2];

public:
  loop_domain_2d(int first, int second) : loop{raceproof::range(0, first), raceproof::range(0, second)} {}
  loop_domain_2d(int low1, int high1, int low2, int high2) : loop{raceproof::range(low1, high1), raceproof::range(low2, high2)} {}
  hclib_loop_domain_t *get_internal() { return loop; }
};

class loop_domain_3d {
  hclib_loop_domain_t loop[3];

public:
  loop_domain_3d(int first, int second, int third)
      : loop{raceproof::range(0, first), raceproof::range(0, second), raceproof::range(0, third)} {}
  loop_domain_3d(int low1, int high1, int low2, int high2, int low3, int high3)
      : loop{raceproof::range(low1, high1), raceproof::range(low2, high2), raceproof::range(low3, high3)} {}
  hclib_loop_domain_t *get_internal() { return loop; }
};

namespace raceproof {

/// The part of an iteration space that a task runs, in `N` dimensions.
template <int N> struct tile {
  hclib_loop_domain_t loop[N];
};

template <typename F> void iterate(const tile<1> &part, F &body) {
  for (int i = part.loop[0].low; i < part.loop[0].high; i += part.loop[0].stride)
    body(i);
}
template <typename F> void iterate(const tile<2> &part, F &body) {
  for (int i = part.loop[0].low; i < part.loop[0].high; i += part.loop[0].stride)
    for (int j = part.loop[1].low; j < part.loop[1].high; j += part.loop[1].stride)
      body(i, j);
}
template <typename F> void iterate(const tile<3> &part, F &body) {
  for (int i = part.loop[0].low; i < part.loop[0].high; i += part.loop[0].stride)
    for (int j = part.loop[1].low; j < part.loop[1].high; j += part.loop[1].stride)
      for (int k = part.loop[2].low; k < part.loop[2].high; k += part.loop[2].stride)
        body(i, j, k);
}

/// How many iterations a tile has: at least one stride.
RACEPROOF_INLINE int span(const hclib_loop_domain_t &loop) {
  int tiles = loop.tile > 0 ? loop.tile : 1;
  return (tiles + loop.stride - 1) / loop.stride * loop.stride;
}

/// Halves the space until every part is a tile; the upper half is a task of its own.
template <int N, typename F> struct halves {
  tile<N> part;
  F body;
  hclib_future_t *future;
  void operator()() {
    for (int at = 0; at < N; ++at) {
      hclib_loop_domain_t &loop = part.loop[at];
      int most = span(loop);
      while (loop.high - loop.low > most) {
        int steps = (loop.high - loop.low + loop.stride - 1) / loop.stride;
        halves<N, F> upper = *this;
        upper.part.loop[at].low = loop.low + steps / 2 * loop.stride;
        loop.high = upper.part.loop[at].low;
        spawn(std::move(upper), &future, 1);
      }
    }
    iterate(part, body);
  }
};

template <int N, typename F> struct one_tile {
  tile<N> part;
  F body;
  void operator()() { iterate(part, body); }
};

/// Every tile is a task of its own.
template <int N, typename F>
void chunks(const tile<N> &space, tile<N> part, int at, F &body, hclib_future_t *future) {
  if (at == N)
    return spawn(one_tile<N, F>{part, body}, &future, 1);
  const hclib_loop_domain_t &loop = space.loop[at];
  int most = span(loop);
  for (int low = loop.low; low < loop.high; low += most) {
    part.loop[at] = loop;
    part.loop[at].low = low;
    part.loop[at].high = low + most < loop.high ? low + most : loop.high;
    chunks<N>(space, part, at + 1, body, future);
  }
}

template <int N, typename F>
RACEPROOF_INLINE void forasync(const hclib_loop_domain_t *loop, F &body, bool sequential, int mode, hclib_future_t *future) {
  tile<N> space;
  for (int at = 0; at < N; ++at)
    space.loop[at] = loop[at];
  if (sequential)
    iterate(space, body);
  else if (mode == FORASYNC_MODE_RECURSIVE)
    halves<N, F>{space, body, future}();
  else
    chunks<N>(space, space, 0, body, future);
}

} // namespace raceproof

namespace raceproof {

/// What comes after the body of a loop: a `bool` says whether it is sequential, a number is its mode.
/// HClib has either there, by its version and by the number of dimensions.
template <typename T> struct is_mode : std::integral_constant<bool, !std::is_same<T, bool>::value> {};

/// What comes after the mode: a place, which makes no difference, or the future that the loop awaits.
RACEPROOF_INLINE hclib_future_t *awaited(hclib_future_t *future, hclib_future_t *) { return future; }
template <typename T> RACEPROOF_INLINE hclib_future_t *awaited(T, hclib_future_t *future) { return future; }
template <typename T> RACEPROOF_INLINE hclib_future_t *awaited(future_t<T> *future, hclib_future_t *) { return future; }

RACEPROOF_INLINE hclib_loop_domain_t *internal(hclib_loop_domain_t *loop) { return loop; }
template <typename T> RACEPROOF_INLINE hclib_loop_domain_t *internal(T *loop) { return loop->get_internal(); }

} // namespace raceproof

#define RACEPROOF_FORASYNC(N, domain)                                                                                             \
  template <typename F> RACEPROOF_INLINE void forasync##N##D(domain *loop, F body) {                                              \
    raceproof::forasync<N>(raceproof::internal(loop), body, false, FORASYNC_MODE_RECURSIVE, nullptr);                             \
  }                                                                                                                               \
  template <typename F, typename B, typename std::enable_if<!raceproof::is_mode<B>::value, int>::type = 0>                        \
  RACEPROOF_INLINE void forasync##N##D(domain *loop, F body, B sequential, int mode = FORASYNC_MODE_RECURSIVE,                    \
                                       hclib_future_t *future = nullptr, int = HCLIB_DEFAULT_LOOP_DIST) {                         \
    raceproof::forasync<N>(raceproof::internal(loop), body, sequential, mode, future);                                            \
  }                                                                                                                               \
  template <typename F, typename M, typename P = std::nullptr_t,                                                                  \
            typename std::enable_if<raceproof::is_mode<M>::value, int>::type = 0>                                                 \
  RACEPROOF_INLINE void forasync##N##D(domain *loop, F body, M mode, P place = P(), hclib_future_t *future = nullptr) {           \
    raceproof::forasync<N>(raceproof::internal(loop), body, false, mode, raceproof::awaited(place, future));                      \
  }                                                                                                                               \
  template <typename F, typename... Rest>                                                                                         \
  RACEPROOF_INLINE future_t<void> *forasync##N##D_future(domain *loop, F body, Rest... rest) {                                    \
    return nonblocking_finish(                                                                                                    \
        [&]() __attribute__((always_inline, nodebug)) { forasync##N##D(loop, std::move(body), rest...); });                       \
  }

RACEPROOF_FORASYNC(1, loop_domain_1d)
RACEPROOF_FORASYNC(2, loop_domain_2d)
RACEPROOF_FORASYNC(3, loop_domain_3d)
RACEPROOF_FORASYNC(1, hclib_loop_domain_t)
RACEPROOF_FORASYNC(2, hclib_loop_domain_t)
RACEPROOF_FORASYNC(3, hclib_loop_domain_t)
#undef RACEPROOF_FORASYNC

// ---- workers and places ----

RACEPROOF_INLINE int get_current_worker() { return hclib_get_current_worker(); }
RACEPROOF_INLINE int current_worker() { return hclib_get_current_worker(); }
RACEPROOF_INLINE hclib_worker_state *current_ws() { return __raceproof_hclib_worker_state(); }
RACEPROOF_INLINE int get_num_workers() { return hclib_get_num_workers(); }
RACEPROOF_INLINE int num_workers() { return hclib_get_num_workers(); }
RACEPROOF_INLINE int get_num_locales() { return hclib_get_num_locales(); }
RACEPROOF_INLINE hclib_locale_t *get_closest_locale() { return hclib_get_closest_locale(); }
RACEPROOF_INLINE hclib_locale_t *get_all_locales() { return hclib_get_all_locales(); }
RACEPROOF_INLINE hclib_locale_t **get_all_locales_of_type(int type, int *count) {
  return hclib_get_all_locales_of_type(type, count);
}
RACEPROOF_INLINE hclib_locale_t *get_master_place() { return hclib_get_master_place(); }
RACEPROOF_INLINE hclib_locale_t *get_central_place() { return hclib_get_central_place(); }
RACEPROOF_INLINE hclib_locale_t **get_thread_private_locales() { return hclib_get_thread_private_locales(); }

RACEPROOF_INLINE future_t<void *> *allocate_at(size_t size, hclib_locale_t *locale) {
  return static_cast<future_t<void *> *>(hclib_allocate_at(size, locale));
}
RACEPROOF_INLINE future_t<void *> *reallocate_at(void *memory, size_t size, hclib_locale_t *locale) {
  return static_cast<future_t<void *> *>(hclib_reallocate_at(memory, size, locale));
}
RACEPROOF_INLINE future_t<void *> *memset_at(void *to, int byte, size_t size, hclib_locale_t *locale) {
  return static_cast<future_t<void *> *>(hclib_memset_at(to, byte, size, locale));
}
RACEPROOF_INLINE future_t<void *> *async_copy_await_all(hclib_locale_t *to_locale, void *to, hclib_locale_t *from_locale, void *from,
                                                        size_t size, hclib_future_t **futures, const int count) {
  return static_cast<future_t<void *> *>(hclib_async_copy(to_locale, to, from_locale, from, size, futures, count));
}
RACEPROOF_INLINE future_t<void *> *async_copy_await(hclib_locale_t *to_locale, void *to, hclib_locale_t *from_locale, void *from,
                                                    size_t size, hclib_future_t *future) {
  return async_copy_await_all(to_locale, to, from_locale, from, size, &future, 1);
}
RACEPROOF_INLINE future_t<void *> *async_copy(hclib_locale_t *to_locale, void *to, hclib_locale_t *from_locale, void *from,
                                              size_t size) {
  return async_copy_await_all(to_locale, to, from_locale, from, size, nullptr, 0);
}
RACEPROOF_INLINE void free_at(void *memory, hclib_locale_t *locale) { hclib_free_at(memory, locale); }

} // namespace hclib

#undef RACEPROOF_INLINE

#endif
