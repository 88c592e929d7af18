/*
 * HClib's atomic variables, on raceproof's runtime: every task updates its part, and the parts are
 * gathered when no task updates them any more. The order of updates makes no difference. A gather
 * beside an update is a race.
 */
#ifndef RACEPROOF_HCLIB_ATOMIC_H
#define RACEPROOF_HCLIB_ATOMIC_H

#pragma clang system_header

#include "hclib.h"

typedef void (*atomic_init_func)(void *element, void *data);
typedef void (*atomic_update_func)(void *element, void *data);
typedef void (*atomic_gather_func)(void *into, void *element, void *data);

typedef struct _hclib_atomic_t {
  char *vals;
  size_t nthreads;
  size_t val_size;
  size_t padded_val_size;
} hclib_atomic_t;

static inline __attribute__((unused)) void hclib_atomic_init(hclib_atomic_t *atomic, const size_t size, atomic_init_func init,
                                                             void *data) {
  atomic->nthreads = 1;
  atomic->val_size = atomic->padded_val_size = size;
  atomic->vals = (char *)malloc(size);
  init(atomic->vals, data);
}

static inline __attribute__((unused)) hclib_atomic_t *hclib_atomic_create(const size_t size, atomic_init_func init, void *data) {
  hclib_atomic_t *atomic = (hclib_atomic_t *)malloc(sizeof(hclib_atomic_t));
  hclib_atomic_init(atomic, size, init, data);
  return atomic;
}

static inline __attribute__((always_inline, nodebug, unused)) void hclib_atomic_update(hclib_atomic_t *atomic,
                                                                                       atomic_update_func update, void *data) {
  __raceproof_hclib_update(1);
  update(atomic->vals, data);
  __raceproof_hclib_update(0);
}

static inline __attribute__((unused)) void *hclib_atomic_gather(hclib_atomic_t *atomic, atomic_gather_func gather, void *data) {
  (void)gather;
  (void)data;
  return atomic->vals;
}

#ifdef __cplusplus

#include <functional>

namespace hclib {

template <class T> class atomic_t {
  T value, initial;

public:
  atomic_t(T initial) : value(initial), initial(initial) {}

  template <typename F> __attribute__((always_inline, nodebug)) void update(F &&function) {
    __raceproof_hclib_update(1);
    T before = value;
    __raceproof_hclib_update(0);
    T after = function(before);
    __raceproof_hclib_update(1);
    value = after;
    __raceproof_hclib_update(0);
  }

  template <typename F> __attribute__((always_inline, nodebug)) T gather(F &&reduce) { return reduce(initial, value); }
};

template <class T> class atomic_sum_t : private atomic_t<T> {
public:
  atomic_sum_t(T initial) : atomic_t<T>(initial) {}
  __attribute__((always_inline, nodebug)) atomic_sum_t &operator+=(T other) {
    atomic_t<T>::update([other](T value) __attribute__((nodebug)) { return value + other; });
    return *this;
  }
  __attribute__((always_inline, nodebug)) T get() {
    return atomic_t<T>::gather([](T a, T b) __attribute__((nodebug)) { return a + b; });
  }
};

template <class T> class atomic_max_t : private atomic_t<T> {
public:
  atomic_max_t(T initial) : atomic_t<T>(initial) {}
  __attribute__((always_inline, nodebug)) void update(T other) {
    atomic_t<T>::update([other](T value) __attribute__((nodebug)) { return value > other ? value : other; });
  }
  __attribute__((always_inline, nodebug)) T get() {
    return atomic_t<T>::gather([](T a, T b) __attribute__((nodebug)) { return a > b ? a : b; });
  }
};

template <class T> class atomic_or_t : private atomic_t<T> {
public:
  atomic_or_t(T initial) : atomic_t<T>(initial) {}
  __attribute__((always_inline, nodebug)) atomic_or_t &operator|=(T other) {
    atomic_t<T>::update([other](T value) __attribute__((nodebug)) { return value || other; });
    return *this;
  }
  __attribute__((always_inline, nodebug)) T get() {
    return atomic_t<T>::gather([](T a, T b) __attribute__((nodebug)) { return a || b; });
  }
};

} // namespace hclib

#endif

#endif
