// The floor of one call an access: a call, a shadow load and a compare. It finds nothing; a program that is compiled with
// -fsanitize=thread and linked with it costs what every checker that is called at every access costs at least.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SHADOW 0x100000000000ul

static int first = 1;

__attribute__((constructor(101))) static void reserve(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap((void *)SHADOW, 1ul << 43, PROT_READ | PROT_WRITE, flags, -1, 0) != (void *)SHADOW)
    abort();
}

// Two bytes of shadow for each of the program's, as in raceproof.
static inline void check(const volatile void *at) {
  int *cell = (int *)(SHADOW + (((unsigned long)at & 0x3fffffffffcul) << 1));
  if (__builtin_expect(*cell < first, 0))
    *cell = first;
}

#define ACCESS(name)                                                                                                   \
  void name(void *at) { check(at); }
#define ACCESSES(kind)                                                                                                 \
  ACCESS(__tsan_##kind##1)                                                                                             \
  ACCESS(__tsan_##kind##2)                                                                                             \
  ACCESS(__tsan_##kind##4)                                                                                             \
  ACCESS(__tsan_##kind##8)                                                                                             \
  ACCESS(__tsan_##kind##16)
ACCESSES(read)
ACCESSES(write)
ACCESSES(read_write)
ACCESSES(unaligned_read)
ACCESSES(unaligned_write)
ACCESSES(unaligned_read_write)

void __tsan_init(void) {}
void __tsan_func_entry(void *call) {}
void __tsan_func_exit(void) {}

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }

#define ATOMIC(bits, type)                                                                                             \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) {                                                \
    check(at);                                                                                                         \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                                         \
    check(at);                                                                                                         \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                    \
  type __tsan_atomic##bits##_fetch_add(volatile type *at, type value, int order) {                                     \
    check(at);                                                                                                         \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                                    \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type was, type value, int order, int failing) {   \
    check(at);                                                                                                         \
    __atomic_compare_exchange_n(at, &was, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                               \
    return was;                                                                                                        \
  }
ATOMIC(32, int)
ATOMIC(64, long)
