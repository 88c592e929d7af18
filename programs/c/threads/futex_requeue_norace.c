// Threads wait by the futex system call. Who wakes them asks for some to be moved to another word, or changes a word on the way.
// expect: race-free observed-schedule
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

int gate[2], woken;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static long futex(int *word, int operation, long value, long more, int *other, long last) {
  return syscall(SYS_futex, word, operation, value, more, other, last);
}

static void *pass(void *number) {
  int *own = &gate[(long)number];
  while (__atomic_load_n(own, __ATOMIC_ACQUIRE) == 0)
    futex(own, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
  pthread_mutex_lock(&mutex);
  woken++;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], 0, pass, (void *)(i / 2));
  assert(futex(&gate[0], FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &gate[1], 5) == -1 && errno == EAGAIN);
  __atomic_store_n(&gate[0], 1, __ATOMIC_RELEASE);
  assert(futex(&gate[0], FUTEX_CMP_REQUEUE_PRIVATE, 1, 1, &gate[1], 1) == 2);
  // Adds one to the second word, and wakes there if it was zero.
  assert(futex(&gate[0], FUTEX_WAKE_OP_PRIVATE, 1, 1, &gate[1], FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0)) >= 1);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], 0);
  assert(woken == 3);
}
