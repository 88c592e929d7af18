/*
 * HClib's interface for C, on raceproof's runtime: tasks, finishes, promises and futures, parallel
 * loops, workers, accumulators. docs/HCLIB.md says what each does here, and what is left out.
 *
 * Every function is one of the runtime, under a name that no library has.
 */
#ifndef RACEPROOF_HCLIB_H
#define RACEPROOF_HCLIB_H

#pragma clang system_header

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function of the runtime that stands behind one of HClib's. */
#define RACEPROOF_HCLIB(name) __asm__("__raceproof_hclib_" #name)

#define NO_PROP 0
#define NO_ARG NULL
#define NO_DATUM NULL
#define NO_FUTURE NULL
#define NO_PHASER NULL
#define NO_ACCUM NULL
#define ANY_PLACE NULL
#define PHASER_TRANSMIT_ALL ((int)0x1)
#define ESCAPING_ASYNC ((int)0x2)
#define COMM_ASYNC ((int)0x4)
#define MAX_NUM_WAITS 4

/* As in HClib, nothing unless the program asks for it; a statement with or without a semicolon. */
#ifdef HC_ASSERTION_CHECK
#define HASSERT(condition) { assert(condition); }
#else
#define HASSERT(condition)
#endif
#ifdef __cplusplus
#define HASSERT_STATIC static_assert
#else
#define HASSERT_STATIC _Static_assert
#endif

/* ---- promises and futures ---- */

struct hclib_promise_st;

typedef struct _hclib_future_t {
  struct hclib_promise_st *owner;
} hclib_future_t;

typedef struct hclib_promise_st {
  hclib_future_t future;
  /* The runtime's number of it; 0 before it is initialised and after it is freed. */
  unsigned handle;
  int satisfied;
  void *datum;
} hclib_promise_t;

void hclib_promise_init(hclib_promise_t *promise) RACEPROOF_HCLIB(promise_init);
hclib_promise_t *hclib_promise_create(void) RACEPROOF_HCLIB(promise_create);
hclib_promise_t **hclib_promise_create_n(size_t count, int null_terminated) RACEPROOF_HCLIB(promise_create_n);
void hclib_promise_free(hclib_promise_t *promise) RACEPROOF_HCLIB(promise_free);
void hclib_promise_free_n(hclib_promise_t **promises, size_t count, int null_terminated) RACEPROOF_HCLIB(promise_free_n);
/* Of a promise that is not used any more, whose memory the program has. */
void __raceproof_hclib_promise_forget(hclib_promise_t *promise);
void hclib_promise_put(hclib_promise_t *promise, void *datum) RACEPROOF_HCLIB(promise_put);
hclib_future_t *hclib_get_future_for_promise(hclib_promise_t *promise) RACEPROOF_HCLIB(promise_future);
/* Reads the value without waiting: the caller has awaited the future. */
void *hclib_future_get(hclib_future_t *future) RACEPROOF_HCLIB(future_get);
void *hclib_future_wait(hclib_future_t *future) RACEPROOF_HCLIB(future_wait);
int hclib_future_is_satisfied(hclib_future_t *future) RACEPROOF_HCLIB(future_is_satisfied);

/* ---- places: accepted, and without effect ---- */

typedef struct _hclib_locale_t {
  int id;
  unsigned type;
  const char *lbl;
  const char *special_type;
  void *metadata;
  void *reachable;
} hclib_locale_t;

int hclib_get_num_locales(void) RACEPROOF_HCLIB(num_locales);
hclib_locale_t *hclib_get_closest_locale(void) RACEPROOF_HCLIB(locale);
hclib_locale_t *hclib_get_all_locales(void) RACEPROOF_HCLIB(locale);
hclib_locale_t *hclib_get_master_place(void) RACEPROOF_HCLIB(locale);
hclib_locale_t *hclib_get_central_place(void) RACEPROOF_HCLIB(locale);
hclib_locale_t **hclib_get_thread_private_locales(void) RACEPROOF_HCLIB(worker_locales);
/* The number of a kind of places, new but for that of the one there is. */
unsigned hclib_add_known_locale_type(const char *label) RACEPROOF_HCLIB(locale_type);

static inline __attribute__((unused)) int hclib_get_num_locales_of_type(int type) {
  return (int)hclib_get_closest_locale()->type == type ? hclib_get_num_locales() : 0;
}
static inline __attribute__((unused)) hclib_locale_t *hclib_get_closest_locale_of_type(hclib_locale_t *locale, int type) {
  return (int)locale->type == type ? locale : NULL;
}
static inline __attribute__((unused)) hclib_locale_t *hclib_get_closest_locale_of_types(hclib_locale_t *locale, int *types,
                                                                                       int count) {
  for (int at = 0; at < count; ++at)
    if ((int)locale->type == types[at])
      return locale;
  return NULL;
}
/* A list that the caller frees. */
static inline __attribute__((unused)) hclib_locale_t **hclib_get_all_locales_of_type(int type, int *count) {
  hclib_locale_t **list = (hclib_locale_t **)malloc(sizeof(hclib_locale_t *));
  *count = hclib_get_num_locales_of_type(type);
  *list = hclib_get_closest_locale();
  return list;
}
static inline __attribute__((unused)) void hclib_locale_mark_special(hclib_locale_t *locale, const char *special) {
  (void)locale;
  (void)special;
}

/* ---- tasks ---- */

typedef void (*generic_frame_ptr)(void *);
typedef void (*async_fct_t)(void *);
typedef void *(*future_fct_t)(void *);

void hclib_launch(async_fct_t body, void *argument, const char **modules, int count) RACEPROOF_HCLIB(launch);
/* How many workers there are from the next launch on. */
void __raceproof_hclib_set_workers(int count);
void hclib_async(generic_frame_ptr body, void *argument, hclib_future_t **futures, const int count, hclib_locale_t *locale)
    RACEPROOF_HCLIB(async);
void hclib_async_nb(generic_frame_ptr body, void *argument, hclib_locale_t *locale) RACEPROOF_HCLIB(async_nb);
hclib_future_t *hclib_async_future(future_fct_t body, void *argument, hclib_future_t **futures, const int count,
                                   hclib_locale_t *locale) RACEPROOF_HCLIB(async_future);
/* The task sets the promise at its end. */
void __raceproof_hclib_async_for(generic_frame_ptr body, void *argument, hclib_future_t **futures, int count,
                                 hclib_promise_t *promise);
/* Memory for what a task has captured, and back again when it has ended. */
void *__raceproof_hclib_room(size_t size);
void __raceproof_hclib_reclaim(void *room);
void hclib_yield(hclib_locale_t *locale) RACEPROOF_HCLIB(yield);

/* Whether the finish may be ended without waiting. */
void __raceproof_hclib_start_finish(int may_leave);
void hclib_end_finish(void) RACEPROOF_HCLIB(end_finish);
void hclib_end_finish_nonblocking_helper(hclib_promise_t *event) RACEPROOF_HCLIB(end_finish_nonblocking);

static inline __attribute__((always_inline, nodebug)) void hclib_start_finish(void) { __raceproof_hclib_start_finish(1); }

static inline __attribute__((always_inline, nodebug, unused)) hclib_future_t *hclib_end_finish_nonblocking(void) {
  hclib_promise_t *event = hclib_promise_create();
  hclib_end_finish_nonblocking_helper(event);
  return hclib_get_future_for_promise(event);
}

/* ---- parallel loops ---- */

typedef struct _hclib_loop_domain_t {
  int low;
  int high;
  int stride;
  int tile;
} hclib_loop_domain_t;

typedef int forasync_mode_t;
#define FORASYNC_MODE_RECURSIVE 1
#define FORASYNC_MODE_FLAT 0
#define HCLIB_DEFAULT_LOOP_DIST 0

typedef void (*forasync1D_Fct_t)(void *, int);
typedef void (*forasync2D_Fct_t)(void *, int, int);
typedef void (*forasync3D_Fct_t)(void *, int, int, int);
typedef hclib_locale_t *(*loop_dist_func)(const int, const hclib_loop_domain_t *, const hclib_loop_domain_t *, const int);

void __raceproof_hclib_forasync(void *body, void *argument, int dimensions, hclib_loop_domain_t *domain, forasync_mode_t mode);
hclib_future_t *__raceproof_hclib_forasync_future(void *body, void *argument, int dimensions, hclib_loop_domain_t *domain,
                                                  forasync_mode_t mode);

/* HClib declares the function as a pointer to anything, which C++ does not convert to. */
#define hclib_forasync(body, argument, dimensions, domain, mode)                                                                 \
  __raceproof_hclib_forasync((void *)(body), argument, dimensions, domain, mode)
#define hclib_forasync_future(body, argument, dimensions, domain, mode)                                                          \
  __raceproof_hclib_forasync_future((void *)(body), argument, dimensions, domain, mode)

/* The functions are kept, and not called: where a tile runs makes no difference. */
unsigned hclib_register_dist_func(loop_dist_func function) RACEPROOF_HCLIB(register_dist_func);
loop_dist_func hclib_lookup_dist_func(unsigned id) RACEPROOF_HCLIB(lookup_dist_func);

/* ---- workers, time ---- */

int hclib_get_current_worker(void) RACEPROOF_HCLIB(worker);
int hclib_get_num_workers(void) RACEPROOF_HCLIB(workers);
int hclib_num_workers(void) RACEPROOF_HCLIB(workers);
size_t hclib_current_worker_backlog(void) RACEPROOF_HCLIB(backlog);
unsigned long long hclib_current_time_ns(void) RACEPROOF_HCLIB(time_ns);
unsigned long long hclib_current_time_ms(void) RACEPROOF_HCLIB(time_ms);
static inline __attribute__((unused)) void hclib_print_runtime_stats(FILE *stream) { (void)stream; }
static inline __attribute__((unused)) void hclib_print_current_task_info(void) {}
static inline __attribute__((unused)) size_t hclib_default_queue_capacity(void) { return 1 << 20; }

/* A worker: its number, and nothing else of HClib's. */
typedef struct _hclib_worker_state {
  int id;
} hclib_worker_state;
hclib_worker_state *__raceproof_hclib_worker_state(void);
#define CURRENT_WS_INTERNAL (__raceproof_hclib_worker_state())
static inline __attribute__((unused)) void hclib_user_harness_timer(double seconds) { (void)seconds; }

/* ---- memory at places ---- */

hclib_future_t *hclib_allocate_at(size_t size, hclib_locale_t *locale) RACEPROOF_HCLIB(allocate_at);
hclib_future_t *hclib_reallocate_at(void *memory, size_t size, hclib_locale_t *locale) RACEPROOF_HCLIB(reallocate_at);
/* Tasks of their own, which set, or copy, when all of the futures are set. */
hclib_future_t *hclib_memset_at(void *to, int byte, size_t size, hclib_locale_t *locale) RACEPROOF_HCLIB(memset_at);
/* As the source of a copy: the value of its only future. */
#define HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC ((void *)0x1)
hclib_future_t *hclib_async_copy(hclib_locale_t *to_locale, void *to, hclib_locale_t *from_locale, void *from, size_t size,
                                 hclib_future_t **futures, const int count) RACEPROOF_HCLIB(async_copy);
static inline __attribute__((unused)) void hclib_free_at(void *memory, hclib_locale_t *locale) {
  (void)locale;
  free(memory);
}

/* ---- what is left out: each ends the program, with its name ---- */

void __raceproof_hclib_left_out(const char *function);
#define RACEPROOF_LEFT_OUT(result, name, parameters)                                                                             \
  static inline __attribute__((unused)) result name parameters {                                                                 \
    __raceproof_hclib_left_out(#name);                                                                                           \
    return (result)0;                                                                                                             \
  }
RACEPROOF_LEFT_OUT(void, hclib_set_idle_callback, (void (*callback)(unsigned, unsigned)))
RACEPROOF_LEFT_OUT(void, hclib_run_on_main_ctx, (void (*body)(void *), void *argument))
RACEPROOF_LEFT_OUT(void, hclib_get_curr_task_info, (void (**body)(void *), void **argument))
RACEPROOF_LEFT_OUT(void, hclib_init, (const char **modules, int count, const int instrument))
RACEPROOF_LEFT_OUT(void, hclib_finalize, (const int instrument))
#undef RACEPROOF_LEFT_OUT

/* ---- accumulators: what tasks put is combined, and read after the finish ---- */

typedef enum { ACCUM_OP_NONE, ACCUM_OP_PLUS, ACCUM_OP_MAX } accum_op_t;
typedef enum { ACCUM_MODE_SEQ, ACCUM_MODE_LAZY, ACCUM_MODE_REC } accum_mode_t;

typedef struct _accum_t {
  accum_op_t op;
  union {
    int i;
    double d;
  } value;
} accum_t;

typedef struct _accumed_t {
  int count;
  accum_t **accums;
} accumed_t;

/* The accesses of the running task up to the end are parts of an update, whose order does not matter. */
void __raceproof_hclib_update(int begin);

static inline __attribute__((unused)) accum_t *accum_create_int(accum_op_t op, accum_mode_t mode, int init) {
  accum_t *accum = (accum_t *)malloc(sizeof(accum_t));
  (void)mode;
  accum->op = op;
  accum->value.i = init;
  return accum;
}
static inline __attribute__((unused)) accum_t *accum_create_double(accum_op_t op, accum_mode_t mode, double init) {
  accum_t *accum = (accum_t *)malloc(sizeof(accum_t));
  (void)mode;
  accum->op = op;
  accum->value.d = init;
  return accum;
}
static inline __attribute__((always_inline, nodebug, unused)) void accum_put_int(accum_t *accum, int value) {
  __raceproof_hclib_update(1);
  if (accum->op == ACCUM_OP_MAX)
    accum->value.i = accum->value.i > value ? accum->value.i : value;
  else
    accum->value.i += value;
  __raceproof_hclib_update(0);
}
static inline __attribute__((always_inline, nodebug, unused)) void accum_put_double(accum_t *accum, double value) {
  __raceproof_hclib_update(1);
  if (accum->op == ACCUM_OP_MAX)
    accum->value.d = accum->value.d > value ? accum->value.d : value;
  else
    accum->value.d += value;
  __raceproof_hclib_update(0);
}
static inline __attribute__((always_inline, nodebug, unused)) int accum_get_int(accum_t *accum) { return accum->value.i; }
static inline __attribute__((always_inline, nodebug, unused)) double accum_get_double(accum_t *accum) { return accum->value.d; }
static inline __attribute__((unused)) void accum_register(accum_t **accums, int count) {
  (void)accums;
  (void)count;
}
static inline __attribute__((unused)) void accum_destroy(accum_t *accum) { free(accum); }

#ifdef __cplusplus
}
#endif

#endif
